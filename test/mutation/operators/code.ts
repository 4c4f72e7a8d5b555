import ts from 'typescript'
import type { Change } from '../mutant.ts'
import { builderOperators, isInsertList } from './builder.ts'
import { put, without, type NodeOperator } from './put.ts'
import { sqlChanges } from './sql.ts'
import { sqlTokens } from './sql-tokens.ts'

/** Operators that a mistake exchanges for each other. */
const EXCHANGED = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
])

const ALTERNATIVES = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])

/** Methods whose result is of the same type as the object, so that their call can be forgotten. */
const FORGETTABLE = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'slice',
  'trim',
  'toLowerCase',
])

const SIBLINGS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
])

/** Up to here, a number is an index or a count, of which the neighbour is the mistake. A larger one is a limit. */
const COUNT = 10

const operators: Readonly<Record<string, NodeOperator>> = {
  condition(node, source) {
    if (ts.isIfStatement(node)) {
      const others = [node.thenStatement.getText(source), node.elseStatement?.getText(source) ?? ';']
      return others.map((text) => [put(node, source, text)])
    }
    if (!ts.isConditionalExpression(node)) return []
    return [node.whenTrue, node.whenFalse].map((kept) => [put(node, source, `(${kept.getText(source)})`)])
  },

  loop(node, source) {
    return ts.isIterationStatement(node, false) ? [[put(node, source, ';')]] : []
  },

  operand(node, source) {
    if (!ts.isBinaryExpression(node) || !ALTERNATIVES.has(node.operatorToken.kind)) return []
    return [node.left, node.right].map((kept) => [put(node, source, `(${kept.getText(source)})`)])
  },

  operator(node, source) {
    // As a whole condition, a negated comparison is noticed whenever a missing condition is.
    if (!ts.isBinaryExpression(node)) return []
    const other = EXCHANGED.get(node.operatorToken.kind)
    const isNegation = other === '===' || other === '!=='
    if (other === undefined || (isNegation && isCondition(node)) || joinsText(node)) return []
    return [[put(node.operatorToken, source, other)]]
  },

  negation(node, source) {
    const isNot = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
    return isNot && !isCondition(node) ? [[put(node, source, node.operand.getText(source))]] : []
  },

  boolean(node, source) {
    if (node.kind === ts.SyntaxKind.TrueKeyword) return [[put(node, source, 'false')]]
    return node.kind === ts.SyntaxKind.FalseKeyword ? [[put(node, source, 'true')]] : []
  },

  number(node, source) {
    // A step of zero would only make an endless loop.
    if (!ts.isNumericLiteral(node) || isStep(node)) return []
    const value = Number(node.text)
    const others = value <= COUNT ? [value + 1, value - 1] : [value * 2, Math.floor(value / 2)]
    return others.filter((other) => other >= 0).map((other) => [put(node, source, String(other))])
  },

  statement(node, source) {
    return ts.isExpressionStatement(node) ? [[put(node, source, ';')]] : []
  },

  exchange(node, source) {
    if (!ts.isBlock(node)) return []
    return node.statements.flatMap((statement, index) => {
      const next = node.statements[index + 1]
      if (next === undefined || !isAwaiting(statement) || !isAwaiting(next)) return []
      return [[put(statement, source, next.getText(source)), put(next, source, statement.getText(source))]]
    })
  },

  element(node, source) {
    if (ts.isArrayLiteralExpression(node)) return isInsertList(node) ? [] : without(node.elements, source)
    return ts.isObjectLiteralExpression(node) ? without(node.properties, source) : []
  },

  call(node, source) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
    const { expression: object, name } = node.expression
    const sibling = SIBLINGS.get(name.text)
    return [
      ...(FORGETTABLE.has(name.text) ? [[put(node, source, object.getText(source))]] : []),
      ...(sibling === undefined ? [] : [[put(name, source, sibling)]]),
    ]
  },
}

/** All changes of a file's code and of the SQL in it. */
export function changesOf(source: ts.SourceFile): readonly Change[] {
  const found: Change[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    for (const [kind, operator] of [...Object.entries(operators), ...Object.entries(builderOperators)])
      found.push(...operator(node, source).map((edits) => ({ kind, edits })))
    if (isSql(node, source)) found.push(...sqlChanges(sqlTokens(node, source)))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Whether the node is all of what an `if` or a `?:` decides by. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node
  return ts.isConditionalExpression(parent)
    ? parent.condition === node
    : ts.isIfStatement(parent) && parent.expression === node
}

function isStep({ parent }: ts.Node): boolean {
  return (
    ts.isBinaryExpression(parent) && ts.isForStatement(parent.parent) && parent.parent.incrementor === parent
  )
}

function joinsText({ left, right, operatorToken }: ts.BinaryExpression): boolean {
  const isText = (node: ts.Node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
  return operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(left) || isText(right))
}

/** Whether a statement is a call, or the declaration of its result, that is awaited before the next statement. */
function isAwaiting(statement: ts.Statement): boolean {
  if (ts.isExpressionStatement(statement)) return ts.isAwaitExpression(statement.expression)
  return (
    ts.isVariableStatement(statement) &&
    statement.declarationList.declarations.some(
      ({ initializer }) => initializer !== undefined && ts.isAwaitExpression(initializer),
    )
  )
}

/** Text outside of sql`…` that is SQL by its first word. */
const SQL_TEXT = /^\s*(?:select|insert into|update|delete from|create (?:trigger|index|table)|with)\s/

/** Whether the node is a text of SQL: the template of sql`…`, or a text that begins as a statement does. */
function isSql(node: ts.Node, source: ts.SourceFile): node is ts.StringLiteralLike | ts.TemplateExpression {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false
  if (ts.isTaggedTemplateExpression(node.parent)) return node.parent.tag.getText(source) === 'sql'
  return SQL_TEXT.test(ts.isTemplateExpression(node) ? node.head.text : node.text)
}
