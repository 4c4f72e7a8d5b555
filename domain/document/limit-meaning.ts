import { DEFAULT_LIMIT } from '../read/plan/limit.ts'

/** What the contract documents say of the parameter `limit`. */
export function limitMeaning(maximum: number): string {
  return `Rows per page. An invalid value counts as ${DEFAULT_LIMIT} and a value above ${maximum} as ${maximum}; \`pagination.limit\` shows what was used.`
}
