import { relative, sep } from 'node:path'
import ts from 'typescript'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { ownerOf } from './owners.ts'

/** By statement outside of functions: what uses the names that it declares. */
export type References = ReadonlyMap<ts.Node, ReadonlySet<ts.Node>>

/** Finds, for the statements of all files, the functions and statements that use what they declare. */
export function findReferences(program: ts.Program): References {
  const checker = program.getTypeChecker()
  const references = new Map<ts.Node, Set<ts.Node>>()
  const sources = program.getSourceFiles().filter((source) => !isForeign(source))
  // To ask the checker about every identifier would take several times as long.
  const names = new Set(sources.flatMap(({ statements }) => statements.flatMap(declaredNames)))
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isIdentifier(node) || !names.has(node.text)) return
      const statement = statementOf(declarationOf(node, checker))
      if (statement === null) return
      const user = ownerOf(node)
      if (user === statement) return
      references.set(statement, (references.get(statement) ?? new Set()).add(user))
    }
    visit(source)
  }
  return references
}

/** The names that a statement outside of functions declares, or gives to what it imports. */
function declaredNames(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name))
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return statement.name === undefined ? [] : [statement.name.text]
  const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined
  return bindings !== undefined && ts.isNamedImports(bindings)
    ? bindings.elements.map(({ name }) => name.text)
    : []
}

function namesIn(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []))
}

/** The path of a source file, relative to the project's root. */
export function pathOf(source: ts.SourceFile): string {
  return relative(projectRoot, source.fileName).replaceAll(sep, '/')
}

function isForeign(source: ts.SourceFile): boolean {
  return source.isDeclarationFile || source.fileName.includes('/node_modules/')
}

function declarationOf(node: ts.Identifier, checker: ts.TypeChecker): ts.Node | null {
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node)
  if (symbol === undefined) return null
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
  return (isAlias ? checker.getAliasedSymbol(symbol) : symbol).declarations?.[0] ?? null
}

/** The statement of its file that contains a declaration; null for what a function declares for itself. */
function statementOf(declaration: ts.Node | null): ts.Node | null {
  if (declaration === null || ts.isSourceFile(declaration)) return null
  if (isForeign(declaration.getSourceFile())) return null
  const owner = ownerOf(declaration)
  return ts.isFunctionLike(owner) && owner !== declaration ? null : owner
}
