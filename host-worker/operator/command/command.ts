import { mark, text, type CommandWords, type Flag, type FlagValues } from '../../../domain/record/command.ts'
import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { Context } from './context.ts'

/** The arguments of a command. */
export interface Arguments {
  readonly values: FlagValues
  readonly positionals: readonly string[]
}

/** What is known of a command without running it, and which operations of the interface it may call. */
export interface Declaration extends CommandWords {
  readonly operations: readonly OperationEndpoint[]
}

/** One command for operators. */
export interface Command extends Declaration {
  readonly run: (context: Context, given: Arguments) => Promise<void>
}

/** Flags of every command, which choose the service. */
export const serviceFlags = {
  url: text('URL'),
  key: text('KEY'),
  remote: mark(),
} as const satisfies Declaration['flags']

/** The arguments of a command in the form in which its usage shows them. */
export function synopsisOf({ positionals, flags }: Pick<Declaration, 'positionals' | 'flags'>): string {
  const written = Object.entries(flags).map(([name, { value, presence, isRepeatable }]) => {
    const usage = value === null ? `--${name}` : `--${name} ${value}`
    return { presence, usage: isRepeatable === true ? `${usage} …` : usage }
  })
  const usagesOf = (presence: Flag['presence']) =>
    written.filter((flag) => flag.presence === presence).map(({ usage }) => usage)
  return [
    ...positionals,
    usagesOf('either').join(' | '),
    usagesOf('some').join(' | '),
    ...usagesOf('required'),
    ...usagesOf('optional').map((usage) => `[${usage}]`),
  ]
    .filter((part) => part !== '')
    .join(' ')
}
