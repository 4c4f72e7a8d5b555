import type { Command } from './command/command.ts'

interface Group {
  readonly commands: readonly Command[]
}

/**
 * The commands by their first word, in the order of `help` and of the manual. Each group is loaded when it is needed,
 * which halves the time to start a command.
 */
const groups: Readonly<Record<string, () => Promise<Group>>> = {
  org: () => import('./commands/organization/organization-commands.ts'),
  backup: () => import('./commands/organization/backup-commands.ts'),
  key: () => import('./commands/keys/key-commands.ts'),
  secrets: () => import('./commands/secrets-command.ts'),
  import: () => import('./commands/imports/import-command.ts'),
  imports: () => import('./commands/imports/imports-command.ts'),
  form: () => import('./commands/forms/form-commands.ts'),
  rows: () => import('./commands/imports/rows-command.ts'),
  contact: () => import('./commands/contact-commands.ts'),
  retention: () => import('./commands/organization/retention-command.ts'),
  submissions: () => import('./commands/forms/submissions-commands.ts'),
  outbox: () => import('./commands/outbox-commands.ts'),
  sends: () => import('./commands/sends-command.ts'),
  audit: () => import('./commands/audit-command.ts'),
  login: () => import('./commands/login-command.ts'),
  logout: () => import('./commands/logout-command.ts'),
  completion: () => import('./commands/completion-command.ts'),
}

/** The commands with a first word; empty when no command has it. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const group = Object.hasOwn(groups, word) ? await groups[word]?.() : undefined
  return group?.commands ?? []
}

/** Every command. */
export async function allCommands(): Promise<readonly Command[]> {
  const loaded = await Promise.all(Object.values(groups).map((load) => load()))
  return loaded.flatMap(({ commands }) => commands)
}
