import ts from 'typescript'

/** A function with a body. */
export type Called = ts.FunctionLikeDeclaration & { readonly body: ts.Node }

/** What runs the code at a node: the innermost function that contains it, or else a statement of the file. */
export function ownerOf(node: ts.Node): ts.Node {
  let current = node
  while ((!isCalled(current) || buildsValue(current)) && !ts.isSourceFile(current.parent))
    current = current.parent
  return current
}

/**
 * Whether a function is given to a call that makes the value of a variable of the file, as the conditions of a statement
 * are to the query builder. All who load the file run it, but only those who use the variable can notice.
 */
function buildsValue(node: Called): boolean {
  return ts.isCallExpression(node.parent) && ts.isVariableStatement(ownerOf(node.parent))
}

/** The statement of its file that contains a node. */
export function statementAround(node: ts.Node): ts.Node {
  let current = node
  while (!ts.isSourceFile(current.parent)) current = current.parent
  return current
}

/** The functions of a file, in the order of its text. Their numbers are their places in this list. */
export function functionsOf(source: ts.SourceFile): readonly Called[] {
  const found: Called[] = []
  const visit = (node: ts.Node): void => {
    if (isCalled(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The innermost node that contains these places of the text. */
export function nodeAt(source: ts.SourceFile, start: number, end: number): ts.Node {
  let found: ts.Node = source
  for (;;) {
    const inner = ts.forEachChild(found, (child) =>
      child.getStart(source) <= start && end <= child.end ? child : undefined,
    )
    if (inner === undefined || inner.kind === ts.SyntaxKind.EndOfFileToken) return found
    found = inner
  }
}

export function isCalled(node: ts.Node): node is Called {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
}
