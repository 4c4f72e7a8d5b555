import * as v from 'valibot'
import type { Organization } from '../../ports/organizations.ts'
import type { saveOrganization } from '../../domain/operators/organizations.ts'
import type { Flag, FlagValues, OperatorCommand } from '../../domain/record/command.ts'
import type { OperationEndpoint, CallOf } from '../../domain/record/operation.ts'
import { membersOf } from '../../domain/text/encoding.ts'
import {
  CommandError,
  Refusal,
  UsageError,
  failOnMissing,
  itemsOf,
  noteUnfinished,
  type OperatorService,
} from './client/call-service.ts'
import { listing, source, type Source } from './listing.ts'
import { callWithFlags, type Arguments, type Command, type Context } from './command.ts'

// The one runner of all commands that operations declare.

type Declared = OperatorCommand<OperationEndpoint, unknown>

/** An operation that a command may call, and how its answer is printed. */
interface Called extends Pick<Declared, 'columns' | 'sheet' | 'says'> {
  readonly operation: OperationEndpoint
}

const made = new Map<OperationEndpoint, readonly Command[]>()

/** The commands that an operation declares: the same ones at every call. */
export function declaredBy(operation: OperationEndpoint): readonly Command[] {
  const commands = made.get(operation) ?? operation.commands.map((declared) => make(operation, declared))
  made.set(operation, commands)
  return commands
}

function make(operation: OperationEndpoint, typed: OperatorCommand<OperationEndpoint>): Command {
  // Its functions are given the answers of its own operations only, which the compiler has checked where it stands.
  const declared = typed as Declared
  const { before, mustExist, sheet, instead = {} } = declared
  const others = Object.values(instead).map((called: Called) => called.operation)
  const operations = [mustExist, before, operation, ...others, sheet?.of].filter((one) => one !== undefined)
  const { words, positionals = [], flags = {}, summary, details = [], examples } = declared
  const command = { words, positionals, flags, summary, details, examples, operations }
  if (declared.columns === undefined)
    return { ...command, run: (context, given) => run(operation, declared, given, context) }
  const { piped, shown } = declared
  const printed = { ...(piped === undefined ? {} : { piped }), ...(shown === undefined ? {} : { shown }) }
  const sourceFor = (values: FlagValues, given: readonly string[]) => {
    const problem = declared.problem?.(values) ?? null
    if (problem !== null) throw new UsageError(problem)
    return sourceOf(calledBy(operation, declared, values), declared, given)
  }
  const lister = listing({ ...command, ...printed, sourceFor })
  return {
    ...lister,
    // A flag may choose an operation that lists nothing.
    run: (context, given) =>
      calledBy(operation, declared, given.values).says === undefined
        ? lister.run(context, given)
        : run(operation, declared, given, context),
  }
}

/** The operation that the flags choose. */
function calledBy(operation: OperationEndpoint, declared: Declared, values: FlagValues): Called {
  const { instead = {} } = declared
  const chosen = Object.entries(instead).find(([flag]) => values[flag] !== undefined)?.[1]
  return { operation, ...declared, ...chosen }
}

async function run(
  operation: OperationEndpoint,
  declared: Declared,
  given: Arguments,
  context: Context,
): Promise<void> {
  const { values } = given
  const problem = declared.problem?.(values) ?? null
  if (problem !== null) throw new UsageError(problem)
  const called = calledBy(operation, declared, values)
  // Flags are checked before a service is opened.
  const inputs = inputsFor(called.operation, declared, given)
  const { params } = inputs
  const mayBeRoot = called.operation.access === 'admin_or_root_secret'
  const service = await (mayBeRoot ? context.service('root secret') : context.service())
  const before = declared.before === undefined ? null : await shownBy(declared.before, params, service)
  const answer = await callWithFlags(declared.flags ?? {}, () =>
    wholeAnswer(called.operation, declared, inputs, service),
  )
  await afterwards[called.operation.id]?.(answer, service)
  const {
    out = [],
    notes = [],
    failure,
  } = (await called.says?.(answer, { values, params, before, url: service.url })) ?? {}
  for (const line of out) context.out(line)
  for (const line of notes) context.note(line)
  const { unfinished, unanswered } = membersOf(answer)
  if (Array.isArray(unfinished)) noteUnfinished(unfinished.map(String), context.note)
  if (Array.isArray(unanswered)) failOnMissing(unanswered.map(String))
  if (typeof failure === 'string') throw new CommandError(failure)
}

const SAVE: (typeof saveOrganization)['id'] = 'organizations.save'

/** What the machine of a local service does after an operation. */
const afterwards: Readonly<Record<string, (answer: unknown, service: OperatorService) => Promise<void>>> = {
  [SAVE]: async (answer, { stateDirectory }) => {
    const { posSource } = answer as Pick<Organization, 'posSource'>
    if (stateDirectory === null || posSource === null) return
    // Loaded on demand: few organizations have a point of sale.
    const { makeLocalSource } = await import('../local/pos-sources.ts')
    makeLocalSource(stateDirectory, posSource)
  },
}

/** What an operation shows; null: there is nothing. */
async function shownBy(operation: OperationEndpoint, params: Inputs['params'], service: OperatorService) {
  try {
    return await service.call(operation, { params })
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}

/** The answer of an operation, called again until nothing is left. */
async function wholeAnswer(
  operation: OperationEndpoint,
  { again, sum }: Pick<Declared, 'again' | 'sum'>,
  { params, query, body }: Inputs,
  service: OperatorService,
): Promise<unknown> {
  let all: unknown
  let more: Readonly<Record<string, string>> | null = {}
  for (let isFirst = true; more !== null; isFirst = false) {
    const call = body === undefined ? { query: { ...query, ...more } } : { query, body: { ...body, ...more } }
    const answer: unknown = await service.call(operation, { params, ...call } as CallOf<OperationEndpoint>)
    all = isFirst ? answer : (sum?.(all, answer) ?? answer)
    more = again?.(answer) ?? null
  }
  return all
}

/** The inputs of a call: what flags and arguments set, each where the operation takes it. */
interface Inputs {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** The inputs that the arguments give an operation. Throws a `UsageError` that names the first wrong flag. */
function inputsFor(operation: OperationEndpoint, declared: Declared, given: Arguments): Inputs {
  const set = Object.entries(declared.flags ?? {}).flatMap(([name, flag]) => {
    const value = given.values[name]
    return flag.sets === undefined || value === undefined
      ? []
      : [[flag.sets, read(name, flag, value)] as const]
  })
  const named = new Map(set)
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const free = inPath.filter((name) => !named.has(name))
  for (const [index, name] of free.entries()) named.set(name, given.positionals[index] ?? '')
  if (declared.argument !== undefined) named.set(declared.argument, given.positionals[free.length] ?? '')
  if (declared.several !== undefined) named.set(declared.several, given.positionals.slice(free.length))
  const texts = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => named.has(name)).map((name) => [name, String(named.get(name))]))
  const inQuery = Object.keys(operation.query ?? {})
  const inputs = { params: texts(inPath), query: texts(inQuery) }
  if (operation.body === null) return inputs
  const elsewhere = new Set([...inPath, ...inQuery])
  const body = [...named].filter(([name]) => !elsewhere.has(name))
  return { ...inputs, body: { ...Object.fromEntries(body), ...declared.body } }
}

function read(name: string, flag: Flag, value: string | boolean | readonly string[]): unknown {
  const { read: schema, is = value } = flag
  if (schema === undefined) return is
  const reading = v.safeParse(schema, value)
  if (reading.success) return reading.output
  throw new UsageError(`--${name} ${reading.issues[0].message}`)
}

/** The items of a list that a command prints. */
function sourceOf(
  { operation, columns = [], sheet }: Called,
  declared: Declared,
  positionals: readonly string[],
): Source {
  const { mustExist } = declared
  const inputs = (of: OperationEndpoint, values: FlagValues) =>
    inputsFor(of, declared, { values, positionals })
  const open = async (context: Context, values: FlagValues, limit: number) => {
    const { params, query } = inputs(operation, values)
    const service = await context.service()
    const { organizationId } = query
    if (mustExist !== undefined && organizationId !== undefined)
      await service.call(mustExist, { params: { organizationId } })
    return itemsOf(service, operation, { params, query: { limit, ...query } }, context.note)
  }
  if (sheet === undefined) return source<never>(columns, open)
  return source<never>(columns, open, async (items, context, values) => {
    const { params } = inputs(sheet.of, values)
    const service = await context.service()
    const shown: unknown[] = []
    for (const more of sheet.calls(items, values))
      shown.push(await shownBy(sheet.of, { ...params, ...more }, service))
    return sheet.rows(items, shown, values)
  })
}
