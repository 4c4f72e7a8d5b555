import type { OperationEndpoint } from '../../domain/record/operation.ts'
import type { Command } from './command.ts'
import { declaredBy } from './declared.ts'

/** Loads a module: of operations that declare commands, or of `commands` that are written by hand. */
type Load = () => Promise<Readonly<Record<string, unknown>>>

const organizations: Load = () => import('../../domain/operators/organizations.ts')
const removals: Load = () => import('../../domain/operators/removals.ts')
const keys: Load = () => import('../../domain/operators/keys.ts')
const forms: Load = () => import('../../domain/operators/forms.ts')
const outbox: Load = () => import('../../domain/operators/outbox.ts')
const login: Load = () => import('./commands/login.ts')

/**
 * The first words of commands, in the order of `help` and of the manual, with the modules that are loaded for each.
 * Loading what one command needs halves the time to start it. A command that an operation of another module declares is
 * found too, only later.
 */
const groups: Readonly<Record<string, readonly Load[]>> = {
  org: [organizations, () => import('./commands/move.ts'), () => import('./commands/archives.ts'), removals],
  backup: [() => import('./commands/backups.ts')],
  key: [keys, () => import('./commands/revoke.ts')],
  secrets: [() => import('../../domain/operators/service.ts')],
  import: [() => import('./commands/import.ts')],
  imports: [() => import('../../domain/operators/imports.ts')],
  form: [forms, () => import('./commands/forms.ts')],
  automation: [
    () => import('../../domain/operators/automations.ts'),
    () => import('./commands/automations.ts'),
  ],
  rows: [() => import('./commands/rows.ts')],
  contact: [removals],
  retention: [removals],
  submissions: [() => import('../../domain/operators/submissions.ts')],
  outbox: [outbox],
  sends: [() => import('../../domain/operators/sends.ts')],
  audit: [() => import('../../domain/operators/audit.ts')],
  login: [login],
  logout: [login],
  completion: [() => import('./commands/completion.ts')],
}

/** The order of the second words of a group, where it is not that of the names of their operations. */
const order: Readonly<Record<string, readonly string[]>> = {
  org: ['create', 'show', 'list', 'move', 'export', 'restore', 'delete'],
  key: ['issue', 'list', 'rotate', 'revoke'],
  form: ['list', 'show', 'html', 'save', 'publish', 'unpublish', 'check'],
  automation: ['list', 'show', 'save', 'test', 'pause', 'resume'],
}

/** The command that arguments begin with; null: there is none. */
export async function commandFor(args: readonly string[]): Promise<Command | null> {
  const isCalled = ({ words }: Command) => words.every((word, index) => args[index] === word)
  const near = await loaded(groupOf(groups, args[0] ?? ''))
  return near.find(isCalled) ?? (await allCommands()).find(isCalled) ?? null
}

/** Every command. */
export async function allCommands(): Promise<readonly Command[]> {
  const { operatorEndpoints } = await import('../../domain/operator-api.ts')
  const written = await loaded(Object.values(groups).flat())
  const all = new Set([...written, ...operatorEndpoints.flatMap(declaredBy)])
  const firsts = new Set([...Object.keys(groups), ...[...all].map(({ words: [first = ''] }) => first)])
  return [...firsts].flatMap((first) => {
    const seconds = groupOf(order, first)
    const place = ({ words: [, second = ''] }: Command) => seconds.indexOf(second) + 1 || seconds.length + 1
    const group = [...all].filter(({ words }) => words[0] === first)
    return group.toSorted((left, right) => place(left) - place(right))
  })
}

function groupOf<Member>(of: Readonly<Record<string, readonly Member[]>>, first: string): readonly Member[] {
  return Object.hasOwn(of, first) ? (of[first] ?? []) : []
}

/** The commands of modules. */
async function loaded(loads: readonly Load[]): Promise<readonly Command[]> {
  const modules = await Promise.all(loads.map((load) => load()))
  return modules.flatMap((module) => [
    ...((module.commands ?? []) as readonly Command[]),
    ...Object.values(module).filter(isOperation).flatMap(declaredBy),
  ])
}

function isOperation(exported: unknown): exported is OperationEndpoint {
  return typeof exported === 'object' && exported !== null && 'commands' in exported && 'path' in exported
}
