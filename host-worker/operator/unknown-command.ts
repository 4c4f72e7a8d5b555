import { nearestWord } from '../../domain/text/nearest-word.ts'
import type { Command } from './command/command.ts'

/** What the words of commands look like. Anything else is not repeated: it may be a key. */
const WORD = /^[a-z][a-z-]{0,30}$/i
const MORE_WORDS = ['help', '--help', '--version']

/** The sentence for words that are no command, with the command that was probably meant. */
export function unknownCommand(named: readonly string[], commands: readonly Command[]): string {
  const [first = '', second = ''] = named
  if (first.startsWith('-')) return leadingFlag(first)
  const words = WORD.test(second) ? [first, second] : [first]
  const meant = meantBy(words, commands)
  const suggested = meant === null ? '' : ` Did you mean "${meant}"?`
  const given = words.every((word) => WORD.test(word))
    ? `command ${JSON.stringify(words.join(' '))}`
    : 'such command'
  return `There is no ${given}.${suggested}`
}

function meantBy(words: readonly string[], commands: readonly Command[]): string | null {
  const whole = commands.map((command) => command.words.join(' '))
  const beginnings = [...new Set(commands.flatMap(({ words: [word = ''] }) => word))]
  const known = [...whole, ...beginnings, ...MORE_WORDS]
  return (
    nearestWord(words.join(' '), known) ??
    nearestWord(words.toReversed().join(' '), whole) ??
    nearestWord(words[0] ?? '', known)
  )
}

function leadingFlag(flag: string): string {
  const [name = ''] = flag.split('=')
  const meant = nearestWord(name, MORE_WORDS)
  if (meant !== null) return `There is no flag ${name} without a command. Did you mean ${meant}?`
  return `The command comes first, and its flags follow it.`
}
