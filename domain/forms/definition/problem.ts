/** The keys and positions that lead to a part of a form, such as `['fields', 0, 'min']`. */
export type FormPath = readonly (string | number)[]

/** Something about a part of a form. */
export interface FormProblem {
  /** The smallest part that it concerns. */
  readonly path: FormPath
  /** A sentence that names the field. */
  readonly sentence: string
}

/** The sentences of problems, each once: several parts of a form may have the same problem together. */
export function sentencesOf(problems: readonly FormProblem[]): readonly string[] {
  return [...new Set(problems.map(({ sentence }) => sentence))]
}

/** The path of a field, or of one of its settings. */
export function fieldPath(index: number, ...within: FormPath): FormPath {
  return ['fields', index, ...within]
}

/** A path as people write it, such as `fields[0].min`. */
export function pathText(path: FormPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}
