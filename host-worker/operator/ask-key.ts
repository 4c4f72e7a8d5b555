import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/**
 * Asks for a key at the terminal without showing what is typed. When standard input is not a terminal, reads its first
 * line.
 */
export async function askKey(question: string): Promise<string> {
  const { stdin, stderr } = process
  const isTerminal = stdin.isTTY
  if (isTerminal) stderr.write(question)
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const reader = createInterface({ input: stdin, output: nowhere, terminal: isTerminal })
  try {
    for await (const line of reader) return line.trim()
    return ''
  } finally {
    reader.close()
    if (isTerminal) stderr.write('\n')
  }
}
