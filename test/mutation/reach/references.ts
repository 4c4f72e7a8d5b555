import { relative, sep } from 'node:path'
import ts from 'typescript'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { ownerOf } from './owners.ts'

/** Gives, for a statement outside of functions, the functions and statements that use what it declares. */
export type References = (statement: ts.Node) => ReadonlySet<ts.Node>

/**
 * Prepares to find references in a program. The compiler is asked about the names of one statement at a time, because to
 * ask it about every name of the program takes half a minute.
 */
export function createReferences(program: ts.Program): References {
  const checker = program.getTypeChecker()
  const places = identifiersByName(program.getSourceFiles().filter((source) => !isForeign(source)))
  const known = new Map<ts.Node, ReadonlySet<ts.Node>>()
  const find = (statement: ts.Node): ReadonlySet<ts.Node> => {
    const uses = declaredNames(statement)
      .flatMap((name) => places.get(name) ?? [])
      .filter((place) => statementOf(declarationOf(place, checker)) === statement)
    return new Set(uses.map(ownerOf).filter((user) => user !== statement))
  }
  return (statement) => {
    const found = known.get(statement) ?? find(statement)
    known.set(statement, found)
    return found
  }
}

/** Where each name stands, also under other names that modules give to it. */
function identifiersByName(sources: readonly ts.SourceFile[]): ReadonlyMap<string, readonly ts.Identifier[]> {
  const places = new Map<string, ts.Identifier[]>()
  const renamed: (readonly [from: string, to: string])[] = []
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if ((ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) && node.propertyName !== undefined)
      renamed.push([node.propertyName.text, node.name.text])
    if (ts.isIdentifier(node)) {
      const sameName = places.get(node.text)
      if (sameName === undefined) places.set(node.text, [node])
      else sameName.push(node)
    }
  }
  sources.forEach(visit)
  const named = new Map(places)
  for (const [from, to] of renamed) named.set(from, [...(named.get(from) ?? []), ...(places.get(to) ?? [])])
  return named
}

/** The names that a statement outside of functions declares, or gives to what it imports. */
function declaredNames(statement: ts.Node): readonly string[] {
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
