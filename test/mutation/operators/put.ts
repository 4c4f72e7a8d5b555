import type ts from 'typescript'
import type { Edit } from '../mutant.ts'

/** The edits of each change of one kind that a node allows. */
export type NodeOperator = (node: ts.Node, source: ts.SourceFile) => readonly (readonly Edit[])[]

/** The edit that writes another text in the place of a node. */
export function put(node: ts.Node, source: ts.SourceFile, text: string): Edit {
  return { start: node.getStart(source), end: node.getEnd(), text }
}

/** One change for each element of a list: the list without it. */
export function without(elements: readonly ts.Node[], source: ts.SourceFile): readonly (readonly Edit[])[] {
  return elements.map((element, index) => {
    const next = elements[index + 1]
    const end = next === undefined ? element.end : next.getStart(source)
    return [{ start: element.getStart(source), end, text: '' }]
  })
}
