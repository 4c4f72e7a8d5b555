import type { Context } from './context.ts'
import type { Declaration, Flag } from './declaration.ts'

/** The values of a command's flags by name, without the dashes. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** The arguments of a command. */
export interface Arguments {
  readonly values: Values
  readonly positionals: readonly string[]
}

/** A flag with a value. A placeholder of words (`yes|no`) names all that it can be. */
export function text(value: string, presence: Flag['presence'] = 'optional'): Flag {
  const choices = /^[a-z]+(?:\|[a-z]+)+$/.test(value) ? value.split('|') : null
  return { value, presence, mayBeEmpty: false, choices }
}

/** A flag whose value is one of some words, too many for its placeholder. */
export function choice(value: string, choices: readonly string[]): Flag {
  return { ...text(value), choices }
}

/** A flag with a value, which clears a setting when it is empty. */
export function clearable(value: string): Flag {
  return { ...text(value), mayBeEmpty: true }
}

/** A flag with a value that may be given several times. */
export function many(value: string, presence: Flag['presence'] = 'optional'): Flag {
  return { ...text(value, presence), isRepeatable: true }
}

/** A flag without a value. */
export function mark(presence: Flag['presence'] = 'optional'): Flag {
  return { value: null, presence, mayBeEmpty: false, choices: null }
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
