import type { Shares, TestCase } from './generate.ts'

/** The interface under which the other engines are compared: each decides which fields are shown. */
export interface Library {
  readonly name: string
  /** The rules that it can express. */
  readonly shares: Shares
  /** The ids of the fields that it shows. */
  visible(testCase: TestCase): ReadonlySet<string>
}
