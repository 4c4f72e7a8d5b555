import type { OperationId } from './operations.ts'

/** A value that people write to an operation, or read from its list, as its declaration has it. */
export interface DeclaredField {
  readonly name: string
  readonly label: string
  /**
   * `group`: an object of the `fields`, the first of which is a choice; the whole is null where that says `none`.
   * `several`: any number of the choices or, when there are none, of words.
   */
  readonly kind: 'text' | 'number' | 'truth' | 'moment' | 'choice' | 'several' | 'group'
  readonly hint?: string
  /** What null says. */
  readonly none?: string
  readonly initial?: string
  /** What is wrong when none of several choices is taken, as a sentence. */
  readonly whenEmpty?: string
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
  readonly fields?: readonly DeclaredField[]
  readonly isNullable?: true
  readonly isOptional?: true
}

/** Those of an operation, in the order of the declaration. */
export interface DeclaredFields {
  /** Left out: it takes no body. */
  readonly body?: readonly DeclaredField[]
  /** Left out: it takes no query. */
  readonly query?: readonly DeclaredField[]
  /** Of an item of the list that it answers with. */
  readonly item: readonly DeclaredField[]
}

/** The fields of each operation of the operator interface. The build replaces this file; see `build.mjs`. */
export declare const operationFields: Readonly<Partial<Record<OperationId, DeclaredFields>>>
