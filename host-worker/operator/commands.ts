import type { Command } from './command/command.ts'

interface Group {
  readonly commands: readonly Command[]
}

/**
 * The commands by the word that they begin with, in the order of `help` and of the manual. Each group is loaded when it is
 * asked for: a command starts in half the time without the others.
 */
const groups: Readonly<Record<string, () => Promise<Group>>> = {
  org: () => import('./commands/organization-commands.ts'),
  key: () => import('./commands/key-commands.ts'),
  secrets: () => import('./commands/secrets-command.ts'),
  import: () => import('./commands/import-command.ts'),
  form: () => import('./commands/form-check-command.ts'),
  outbox: () => import('./commands/outbox-commands.ts'),
  sends: () => import('./commands/sends-command.ts'),
  audit: () => import('./commands/audit-command.ts'),
  login: () => import('./commands/login-command.ts'),
  logout: () => import('./commands/logout-command.ts'),
}

/** The commands that begin with a word; none when there is no such word. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const group = Object.hasOwn(groups, word) ? await groups[word]?.() : undefined
  return group?.commands ?? []
}

/** Every command. */
export async function allCommands(): Promise<readonly Command[]> {
  const loaded = await Promise.all(Object.values(groups).map((load) => load()))
  return loaded.flatMap(({ commands }) => commands)
}
