import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearestWord, suggestion } from '../../domain/text/schema-errors.ts'
import { escapedCommands } from '../../domain/text/terminal.ts'
import { projectRoot } from '../local/project.ts'
import { CommandError, UsageError, Refusal, type OperatorService } from './client/call-service.ts'
import {
  readArguments,
  textOf,
  serviceFlags,
  synopsisOf,
  type Command,
  type Streams,
  type Arguments,
  type Context,
  type Declaration,
} from './command.ts'
import {
  chooseService,
  loginPath,
  readLogin,
  type Choice,
  type Sources,
  openService,
  type OpenedService,
  type Surroundings,
} from './client/open-service.ts'
import { listOrganizations } from '../../domain/operators/organizations.ts'
import { echoed } from '../../domain/limits/limits.ts'
import { PAGE_ROWS_MAX } from '../../domain/record/endpoint.ts'
import type { OperationEndpoint } from '../../domain/record/operation.ts'
import { declaredBy } from './declared.ts'

/**
 * Runs one command. Returns the exit code: 0 for success, 1 when the command failed, 2 when it was called with wrong
 * arguments.
 */
export async function runOperator(given: readonly string[], output: Streams, host: Host): Promise<number> {
  const note = (lines: string) => {
    output.note(escapedCommands(withoutSecrets(lines, given, host.environment)))
  }
  const streams = { ...output, note }
  if (given[0] === '--version') {
    streams.out(version())
    return 0
  }
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const command = await commandFor(args)
  if (command === null) return withoutCommand(args, streams, host.program)
  try {
    const read = readArguments(command, args.slice(command.words.length))
    if (read.values.help === true) streams.out(helpOf(command, host.program))
    else await runCommand(command, read, streams, host)
    return 0
  } catch (error) {
    return report(error, command, streams, host.program)
  }
}

function helpOf(command: Command, program: string): string {
  return [usage(command, program), ...examplesOf(command, program), ...operationsOf(command)].join('\n')
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
  return manifest.version
}

function report(error: unknown, command: Command, { note }: Streams, program: string): number {
  if (error instanceof UsageError) {
    const { message } = error
    const sentence = /[.?]$/.test(message) ? message : `${message}.`
    note(`${sentence}\nFor its usage: ${program} help ${command.words.join(' ')}`)
    return 2
  }
  const isExpected = error instanceof CommandError || isRefusedFile(error)
  note(isExpected ? error.message : String(error instanceof Error ? error.stack : error))
  return 1
}

/** Whether the operating system refused to open a file. The message of such an error names the file and the reason. */
function isRefusedFile(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** Loads a module: of operations that declare commands, or of `commands` that are written by hand. */
type Load = () => Promise<Readonly<Record<string, unknown>>>

const organizations: Load = () => import('../../domain/operators/organizations.ts')
const removals: Load = () => import('../../domain/operators/removals.ts')
const keys: Load = () => import('../../domain/operators/keys.ts')
const outbox: Load = () => import('../../domain/operators/outbox.ts')
const formFiles: Load = () => import('./commands/forms.ts')
const imports: Load = () => import('./commands/import.ts')
const ownKeys: Load = () => import('./commands/keys.ts')

/**
 * The first words of commands, in the order of `help` and of the manual, with the modules that are loaded for each.
 * Loading what one command needs halves the time to start it. A command that an operation of another module declares is
 * found too, only later.
 */
const groups: Readonly<Record<string, readonly Load[]>> = {
  org: [organizations, () => import('./commands/organizations.ts'), removals],
  backup: [() => import('./commands/backups.ts')],
  key: [keys, ownKeys],
  secrets: [() => import('../../domain/operators/service.ts')],
  import: [imports],
  imports: [() => import('../../domain/operators/imports.ts')],
  form: [
    () => import('../../domain/operators/forms.ts'),
    () => import('../../domain/operators/change-forms.ts'),
    formFiles,
  ],
  automation: [
    () => import('../../domain/operators/automations.ts'),
    () => import('../../domain/operators/save-automations.ts'),
    formFiles,
  ],
  rows: [imports],
  contact: [removals],
  retention: [removals],
  submissions: [() => import('../../domain/operators/submissions.ts')],
  outbox: [outbox],
  sends: [outbox],
  audit: [() => import('../../domain/operators/audit.ts')],
  login: [ownKeys],
  logout: [ownKeys],
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

const HELP = ['--help', '-h']

/**
 * Shows all commands, or those of a group (`key`), when help is requested or no arguments are given. Otherwise says
 * that there is no such command.
 */
async function withoutCommand(
  args: readonly string[],
  { out, note }: Streams,
  program: string,
): Promise<number> {
  const named = args.filter((word) => !HELP.includes(word))
  const all = await allCommands()
  const group = all.filter(({ words }) => words[0] === named[0])
  const isKnown = named.length === 0 || (group.length > 0 && named.length === 1)
  if (!isKnown) {
    note(`${unknownCommand(named, all)}\nFor all commands: ${program} help`)
    return 2
  }
  const isAsked = named.length < args.length
  const write = isAsked ? out : note
  write(overview(group.length === 0 ? all : group, program))
  return isAsked ? 0 : 2
}

/** What the words of commands look like. Anything else is not repeated: it may be a key. */
const WORD = /^[a-z][a-z-]{0,30}$/i
const MORE_WORDS = ['help', '--help', '--version']

/** The sentence for words that are no command, with the command that was probably meant. */
function unknownCommand(named: readonly string[], commands: readonly Command[]): string {
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

/** The environment of the commands: that of the machine, or of a test. */
export interface Host extends Omit<Surroundings, 'note'>, Pick<Sources, 'deployed'> {
  readonly askKey: Context['askKey']
  /** By what a person calls the commands. */
  readonly program: string
}

/** Runs a command, and ends the services that were opened for it. */
async function runCommand(command: Command, given: Arguments, streams: Streams, host: Host): Promise<void> {
  const opened: Promise<OpenedService>[] = []
  const open = async (choice: Choice) => {
    const opening = openService(choice, { ...host, note: streams.note })
    opened.push(opening)
    return (await opening).service
  }
  let chosen: Promise<OperatorService> | null = null
  const path = loginPath(host.environment)
  const sources = sourcesOf(given, host, path)
  const context: Context = {
    ...streams,
    sources,
    service: (without) => (chosen ??= open(chooseService(sources, without ?? null))),
    open,
    loginPath: path,
    askKey: (question) => host.askKey(question),
    commands: allCommands,
  }
  try {
    await command.run(context, given)
  } catch (error) {
    const named = [...Object.values(given.values), ...given.positionals].filter(
      (value) => typeof value === 'string',
    )
    // The service that was asked last.
    const asked = await opened.at(-1)?.catch(() => undefined)
    throw asked === undefined ? error : await explainMissing(error, named, asked.service)
  } finally {
    const services = await Promise.allSettled(opened)
    for (const service of services) if (service.status === 'fulfilled') await service.value.close()
  }
}

function sourcesOf({ values }: Arguments, { environment, deployed }: Host, path: string): Sources {
  const flags = { url: textOf(values, 'url'), key: textOf(values, 'key'), remote: values.remote === true }
  return { flags, environment, login: () => readLogin(path), deployed }
}

/**
 * The error of a command that named something which does not exist, with where it was looked for, because that is
 * mostly what was wrong: another state or service than the one that was meant. For an organization also with the nearest
 * one that exists. Any other error as it is.
 * @param named what the command was given, one of which is the id
 * @param service the service that the command asked
 */
export async function explainMissing(
  error: unknown,
  named: readonly string[],
  service: OperatorService,
): Promise<unknown> {
  if (!(error instanceof Refusal)) return error
  const { message, status } = error
  if (status !== 404 && !message.startsWith('There is no ')) return error
  const { stateDirectory, url } = service
  const where = stateDirectory === null ? `at ${url}` : `in the state ${stateDirectory} (STATE_DIR)`
  const nearest = await nearestOrganization(message, named, service)
  return new Refusal(status, `${message}${nearest} It was looked for ${where}.`)
}

/** The suggestion of an organization in place of one that does not exist; empty: nothing is near. */
async function nearestOrganization(
  message: string,
  named: readonly string[],
  service: OperatorService,
): Promise<string> {
  const organizationId = named.find((id) =>
    ['.', ','].some((end) => message.startsWith(`There is no organization ${echoed(id)}${end}`)),
  )
  if (organizationId === undefined) return ''
  try {
    // One page of organizations is looked at.
    const { data } = await service.call(listOrganizations, { query: { limit: PAGE_ROWS_MAX } })
    const ids = data.map((organization) => organization.organizationId)
    return suggestion(organizationId, ids)
  } catch {
    // The suggestion is an extra. What went wrong with the command is said in any case.
    return ''
  }
}

const WHERE = [
  'Each command also takes --url URL and --key KEY, or --remote. They win over OPERATOR_URL and OPERATOR_KEY, and these',
  'over "login". Without any of them it is about the service of STATE_DIR (default .wrangler/state): the one that runs',
  'there, else one that runs as long as the command. --remote is the deployed service that wrangler.toml names.',
  '--version prints the version. "completion SHELL" lets a shell complete all these words.',
]

/**
 * The usage of a command: how it is called, and what it does.
 * @param program by which the operator is called
 */
function usage(command: Declaration, program: string): string {
  const { words, summary, details } = command
  const call = [program, ...words, synopsisOf(command)].filter((part) => part !== '').join(' ')
  const common = synopsisOf({ positionals: [], flags: serviceFlags })
  return [`Usage: ${call} ${common}`, '', `${summary}.`, ...details].join('\n')
}

/** Typical calls of a command. */
function examplesOf({ words, examples }: Declaration, program: string): readonly string[] {
  const calls = examples.map((given) => [program, ...words, given].filter((part) => part !== '').join(' '))
  return ['', calls.length === 1 ? 'Example:' : 'Examples:', ...calls.map((call) => `  ${call}`)]
}

/** The operations of the interface that a command may call, with method and path. */
function operationsOf({ operations }: Declaration): readonly string[] {
  if (operations.length === 0) return []
  return ['', 'Calls:', ...operations.map(({ method, path }) => `  ${method} ${path}`)]
}

/** A list of commands, each in a line. */
function overview(of: readonly Declaration[], program: string): string {
  const width = Math.max(...of.map(({ words }) => words.join(' ').length))
  return [
    `Usage: ${program} COMMAND …    (COMMAND --help says more)`,
    '',
    ...of.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`),
    '',
    ...WHERE,
  ].join('\n')
}

/** What is recognised as a secret wherever it stands: the service's keys, and the secret keys of age. */
const SECRETS = /\b([cpo]k_live_|AGE-SECRET-KEY-1)[\w-]+/gi
const NAMES = ['OPERATOR_KEY', 'ROOT_SECRET']
/** What is shorter is no secret, and may be a part of any word. */
const SECRET_LENGTH_MIN = 8

/**
 * Lines for the terminal without the secrets that the person gave: a message may repeat what it is about, and terminals
 * are recorded. Only the beginning of a key stays, which says of what kind it is.
 * @param args the arguments of the command
 */
function withoutSecrets(
  lines: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const keyFlags = args.flatMap((arg, index) =>
    arg === '--key' ? [args[index + 1]] : arg.startsWith('--key=') ? [arg.slice('--key='.length)] : [],
  )
  const given = [...keyFlags, ...NAMES.map((name) => environment[name])].filter(
    (secret) => secret !== undefined && secret.length >= SECRET_LENGTH_MIN,
  )
  return given.reduce<string>(
    (text, secret = '') => text.replaceAll(secret, '…'),
    lines.replaceAll(SECRETS, '$1…'),
  )
}
