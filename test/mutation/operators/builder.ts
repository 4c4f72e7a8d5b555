import ts from 'typescript'
import { put, without, type NodeOperator } from './put.ts'

/** Calls of the query builder that can be forgotten. */
const FORGOTTEN: ReadonlyMap<string, string> = new Map([
  ...['where', 'whereRef', 'having', 'on', 'onRef'].map((name) => [name, 'SQL condition'] as const),
  ...['orderBy', 'limit', 'offset'].map((name) => [name, 'SQL order'] as const),
  ...['distinct', 'groupBy'].map((name) => [name, 'SQL join'] as const),
  ['onConflict', 'SQL conflict'],
])

/** Calls that a mistake makes of others. */
const RENAMED = new Map([
  ['leftJoin', 'innerJoin'],
  ['unionAll', 'union'],
])

const EXCHANGED = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['+', '-'],
  ['-', '+'],
])

/** Functions of SQL that are called by their names. */
const SIBLINGS = new Map([
  ['min', 'max'],
  ['max', 'min'],
])

/** Those that turn a whole condition round, which is noticed whenever a condition that is left out would be. */
const NEGATED = new Map([
  ['=', '!='],
  ['!=', '='],
  ['<>', '='],
  ['is', 'is not'],
  ['is not', 'is'],
  ['in', 'not in'],
  ['not in', 'in'],
])

/** Mistakes in statements of the query builder, by the same names as those in texts of SQL. */
export const builderOperators: Readonly<Record<string, NodeOperator>> = {
  'SQL condition': (node, source) => forgotten('SQL condition', node, source),

  'SQL order'(node, source) {
    if (nameOf(node) !== 'orderBy' || !ts.isCallExpression(node)) return forgotten('SQL order', node, source)
    const [by, direction] = node.arguments
    if (by === undefined) return []
    const isDescending = direction !== undefined && textOf(direction) === 'desc'
    const turned =
      direction === undefined
        ? put(by, source, `${by.getText(source)}, 'desc'`)
        : put(direction, source, isDescending ? "'asc'" : "'desc'")
    return [...forgotten('SQL order', node, source), [turned]]
  },

  'SQL join'(node, source) {
    const other = RENAMED.get(nameOf(node))
    const name = isMethodCall(node) ? node.expression.name : null
    return [
      ...forgotten('SQL join', node, source),
      ...(other === undefined || name === null ? [] : [[put(name, source, other)]]),
    ]
  },

  'SQL conflict'(node, source) {
    if (nameOf(node) !== 'doUpdateSet' || !isMethodCall(node)) return forgotten('SQL conflict', node, source)
    return [[put(wholeChain(node), source, `${node.expression.expression.getText(source)}.doNothing()`)]]
  },

  'SQL operator'(node, source) {
    if (!ts.isCallExpression(node)) return []
    const [first, operator] = node.arguments
    if (nameOf(node) === 'not' && first !== undefined && node.arguments.length === 1)
      return [[put(node, source, `(${first.getText(source)})`)]]
    const sibling = nameOf(node) === 'fn' && first !== undefined ? SIBLINGS.get(textOf(first)) : undefined
    if (sibling !== undefined && first !== undefined) return [[put(first, source, `'${sibling}'`)]]
    if (node.arguments.length !== 3 || operator === undefined) return []
    const isWhole = FORGOTTEN.get(nameOf(node)) === 'SQL condition'
    const other = EXCHANGED.get(textOf(operator)) ?? (isWhole ? undefined : NEGATED.get(textOf(operator)))
    return other === undefined ? [] : [[put(operator, source, `'${other}'`)]]
  },

  'SQL and/or'(node, source) {
    const name = nameOf(node)
    if ((name !== 'and' && name !== 'or') || !ts.isCallExpression(node)) return []
    const other = name === 'and' ? 'or' : 'and'
    if (isMethodCall(node)) return [[put(node.expression.name, source, other)]]
    // Where the words were taken out of the builder, the other one is taken too.
    const taken = takenWords(node)
    if (taken === null) return []
    const [word] = taken.filter((element) => element.getText(source) === name)
    if (word === undefined) return []
    const isTaken = taken.some((element) => element.getText(source) === other)
    const edit = put(node.expression, source, other)
    return [isTaken ? [edit] : [edit, put(word, source, `${name}, ${other}`)]]
  },

  'SQL coalesce'(node, source) {
    if (nameOf(node) !== 'coalesce' || !ts.isCallExpression(node)) return []
    const alone = (value: ts.Node) =>
      `${ts.isStringLiteral(value) ? 'sql.ref' : ''}(${value.getText(source)})`
    return node.arguments.map((value) => [put(node, source, alone(value))])
  },

  'SQL column'(node, source) {
    if (nameOf(node) !== 'expression' || !isMethodCall(node)) return []
    const columns = listOf(chainCall(node.expression.expression, 'columns'))
    const selected = selectedIn(node.arguments[0])
    if (columns.length < 2 || columns.length !== selected.length) return []
    const values = selected.map((value) => valueEdit(value, source))
    return without(columns, source).flatMap((edits, index) => {
      const value = values[index]
      return value === undefined ? [] : [[...edits, ...value]]
    })
  },
}

/** Whether the elements of a list are the columns of an `insert` or what fills them, of which none can miss alone. */
export function isInsertList(node: ts.ArrayLiteralExpression): boolean {
  const call = node.parent
  if (!ts.isCallExpression(call)) return false
  if (nameOf(call) === 'columns') return true
  if (!isSelect(call)) return false
  for (let around: ts.Node = call; !ts.isStatement(around); around = around.parent)
    if (nameOf(around) === 'expression') return true
  return false
}

function forgotten(kind: string, node: ts.Node, source: ts.SourceFile) {
  if (!isMethodCall(node) || FORGOTTEN.get(nameOf(node)) !== kind) return []
  // A call of `on` with two arguments sets a listener.
  if (nameOf(node) === 'on' && node.arguments.length === 2) return []
  return [[put(node, source, node.expression.expression.getText(source))]]
}

type MethodCall = ts.CallExpression & { readonly expression: ts.PropertyAccessExpression }

function isMethodCall(node: ts.Node): node is MethodCall {
  return ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
}

/** The name of the function or method that a node calls. */
function nameOf(node: ts.Node): string {
  if (isMethodCall(node)) return node.expression.name.text
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : ''
}

function textOf(node: ts.Node): string {
  return ts.isStringLiteral(node) ? node.text : ''
}

/** The last call of the chain of methods to which a call belongs. */
function wholeChain(node: ts.Node): ts.Node {
  const isContinued = ts.isPropertyAccessExpression(node.parent) && ts.isCallExpression(node.parent.parent)
  return isContinued ? wholeChain(node.parent.parent) : node
}

/** The call of a method in a chain that ends with a node. */
function chainCall(node: ts.Node, name: string): ts.CallExpression | null {
  if (!isMethodCall(node)) return null
  return nameOf(node) === name ? node : chainCall(node.expression.expression, name)
}

/** What the callback around a node takes out of the builder by name. */
function takenWords(node: ts.Node): readonly ts.BindingElement[] | null {
  if (ts.isSourceFile(node)) return null
  const pattern = ts.isArrowFunction(node) ? node.parameters[0]?.name : undefined
  return pattern !== undefined && ts.isObjectBindingPattern(pattern)
    ? pattern.elements
    : takenWords(node.parent)
}

const isSelect = (node: ts.Node) => nameOf(node) === 'select' || nameOf(node) === 'selectNoFrom'

/** The elements of the list that a call is given, or what it is given instead of a list. */
function listOf(call: ts.CallExpression | null): readonly ts.Node[] {
  const given = call?.arguments[0]
  if (given === undefined) return []
  return ts.isArrayLiteralExpression(given) ? given.elements : [given]
}

/** What the statement that an `insert` is given selects, in order; nothing when it is known only where it runs. */
function selectedIn(node: ts.Node | undefined): readonly ts.Node[] {
  if (node === undefined) return []
  if (ts.isArrowFunction(node)) return selectedIn(node.body)
  if (!isMethodCall(node)) return []
  return [...selectedIn(node.expression.expression), ...(isSelect(node) ? listOf(node) : [])]
}

function valueEdit(value: ts.Node, source: ts.SourceFile) {
  const { parent } = value
  if (ts.isArrayLiteralExpression(parent))
    return without(parent.elements, source)[parent.elements.findIndex((element) => element === value)]
  return isMethodCall(parent) && nameOf(parent) === 'select'
    ? [put(parent, source, parent.expression.expression.getText(source))]
    : undefined
}
