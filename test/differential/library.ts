import type { Shares, TestCase } from './generate.ts'

/** Another engine that decides which fields are shown, brought behind one interface. */
export interface Library {
  readonly name: string
  /** The rules that it can express. */
  readonly shares: Shares
  /** The ids of the fields that it shows. */
  visible(testCase: TestCase): ReadonlySet<string>
}
