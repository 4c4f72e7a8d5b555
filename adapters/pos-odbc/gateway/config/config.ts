import * as v from 'valibot'
import { SECRET_LENGTH_MIN } from '../../secret-length.ts'
import { hasOwnDatabases } from '../families/index.ts'
import { sourceSchema, type SourceConfig, type Surroundings } from './config-source.ts'
import { problemsOf, settings, Text, wholeNumber } from './config-words.ts'

export interface GatewayConfig {
  readonly listen: {
    readonly host: string
    readonly port: number
    /** Whether only requests to a name of this machine are answered, as on a developer's machine. */
    readonly localOnly?: boolean
  }
  /** The shared secret; during a rotation the previous one, too. */
  readonly secrets: readonly string[]
  readonly sources: readonly SourceConfig[]
}

/** The sources of the configuration: environment and files. */
export interface ConfigInput extends Surroundings {
  readonly text: string
}

/** The configuration, or everything that is wrong with it, each in a sentence that carries no secret. */
export type ParsedConfig =
  | { readonly kind: 'config'; readonly config: GatewayConfig }
  | { readonly kind: 'problems'; readonly problems: readonly string[] }

/** Reads and checks the configuration: a JSON file, and the secrets from the environment or files that it names. */
export function parseConfig(input: ConfigInput): ParsedConfig {
  let json: unknown
  try {
    json = JSON.parse(input.text)
  } catch (error) {
    return {
      kind: 'problems',
      problems: [`The configuration is no JSON: ${error instanceof Error ? error.message : String(error)}`],
    }
  }
  const parsed = v.safeParse(fileSchema(input), json)
  const { secrets, problems } = secretsOf(input)
  if (!parsed.success) return { kind: 'problems', problems: [...problemsOf(parsed.issues), ...problems] }
  if (problems.length > 0) return { kind: 'problems', problems }
  return { kind: 'config', config: { ...parsed.output, secrets } }
}

const Listen = settings({
  host: v.optional(Text, '127.0.0.1'),
  port: wholeNumber(0, 65_535, 8790),
  localOnly: v.exactOptional(v.boolean('must be true or false')),
})

function fileSchema(surroundings: Surroundings) {
  const problem = 'must be a list with at least one source'
  const sources = v.pipe(
    v.optional(v.array(sourceSchema(surroundings), problem), []),
    v.nonEmpty(problem),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      for (const message of conflictsOf(dataset.value)) addIssue({ message })
    }),
  )
  return settings({ listen: v.nullish(Listen, {}), sources })
}

/** Conflicts between sources, each as the end of a sentence that begins with `sources`. */
function conflictsOf(sources: readonly SourceConfig[]): readonly string[] {
  const shared = repeated(sources.flatMap(({ kind }) => (hasOwnDatabases(kind) ? [] : [kind])))
  const names = repeated(sources.map(({ kind, name }) => (name === null ? null : `${kind} ${name}`)))
  const folders = repeated(sources.map(({ kind, place }) => ('directory' in place ? kind : null)))
  return [
    ...shared.map(
      (kind) => `has more than one source of kind ${kind}; there is one for all its organizations`,
    ),
    ...names.map((name) => `has more than one source of the name ${name.split(' ')[1] ?? ''}`),
    ...folders.map(() => 'has more than one source with a directory'),
  ]
}

function repeated<Value extends string>(values: readonly (Value | null)[]): readonly Value[] {
  const found = values.filter((value) => value !== null)
  return [...new Set(found.filter((value, index) => found.indexOf(value) !== index))]
}

function secretsOf({ environment, readText }: ConfigInput): {
  readonly secrets: readonly string[]
  readonly problems: readonly string[]
} {
  const problems: string[] = []
  const current = secretOf('POS_GATEWAY_SECRET')
  const previous = secretOf('POS_GATEWAY_SECRET_PREVIOUS')
  if (current === null) problems.push('POS_GATEWAY_SECRET (or POS_GATEWAY_SECRET_FILE) is not set')
  return { secrets: [current, previous].filter((secret) => secret !== null), problems }

  function secretOf(name: string): string | null {
    const path = environment[`${name}_FILE`] ?? ''
    const value = environment[name] ?? ''
    if (value !== '' && path !== '') problems.push(`${name} and ${name}_FILE are both set; set one`)
    const read = path === '' ? ({ kind: 'text', text: value } as const) : readText(path)
    if (read.kind === 'unreadable') {
      problems.push(`${name}_FILE ${read.problem}`)
      return null
    }
    const secret = path === '' ? value : read.text.trim()
    if (secret === '') return null
    if (secret.length < SECRET_LENGTH_MIN)
      problems.push(`${name} must have at least ${SECRET_LENGTH_MIN} characters`)
    return secret
  }
}
