import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { COMPILE_CACHE } from '../support/services/compile-cache.ts'

/** Half of the memory that a Worker has. */
const HEAP_MB = 64
/** Enough for fifty problems, each with sixty characters of a stranger's text and a sentence of the service's own. */
const ANSWER_MAX_LENGTH = 12_000

interface Answers {
  readonly answers: readonly {
    readonly path: string
    readonly name: string
    readonly status: number
    readonly length: number
    readonly text: string
  }[]
  readonly errors: number
}

test(
  'the worst bodies that fit are refused in little memory, in few words',
  { timeout: 60_000 },
  async () => {
    const program = join(import.meta.dirname, '..', 'support', 'data', 'worst-bodies.ts')
    const args = [`--max-old-space-size=${HEAP_MB}`, program]
    const env = { ...process.env, ...COMPILE_CACHE }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    const { answers, errors } = JSON.parse(stdout) as Answers
    expect(errors).toBe(0)
    expect(answers).toHaveLength(33)
    for (const { path, name, status, length } of answers) {
      const isForm = path.startsWith('/api/forms')
      expect([path, name, isForm ? [400, 422].includes(status) : status === 400]).toEqual([path, name, true])
      expect(length).toBeLessThan(ANSWER_MAX_LENGTH)
    }
    const answerOf = (wanted: string) => answers.find(({ name }) => name === wanted)?.text
    expect(answerOf('numbers for attachments')).toContain('must hold at most 50000 values')
    expect(answerOf('everything wrong')).toContain('attachments.0.filename: is required')
  },
)
