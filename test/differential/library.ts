import type { Shares, TestCase } from './generate.ts'

/** The interface of the engines that are compared with the one here. Each decides which fields are shown. */
export interface Library {
  readonly name: string
  /** The rules that the library can express. */
  readonly shares: Shares
  /** The ids of the fields that the library shows. */
  visible(testCase: TestCase): ReadonlySet<string>
}
