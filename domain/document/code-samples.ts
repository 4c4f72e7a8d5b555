import type { Access } from '../record/description.ts'
import { AUTH_SCHEME } from '../record/reply.ts'
import type { JsonSchema } from './json-schema.ts'

/** A parameter of an operation as the document describes it. */
export interface SampleParameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
}

/** The call of an operation that its samples show. */
export interface SampleCall {
  readonly method: string
  readonly path: string
  readonly access: Access
  readonly parameters: readonly SampleParameter[]
  /** The body's example; undefined: there is none. */
  readonly body: unknown
}

/** Query parameters that a sample shows: only a few, and none whose value comes from an earlier call. */
const SHOWN_QUERY = ['limit', 'updatedAfter', 'start', 'status']
const SHOWN_QUERY_MAX = 2

/**
 * The call in curl and in TypeScript, for the extension `x-codeSamples`. `BASE` and `KEY` stand for the host and a key;
 * `client` is an openapi-fetch client with types generated from the document.
 */
export function codeSamples(call: SampleCall): readonly JsonSchema[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(call) },
  ]
}

function curl({ method, path, access, parameters, body }: SampleCall): string {
  const query = shownQuery(parameters).map(({ name, example }) => `${name}=${encoded(example)}`)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(exampleIn(parameters, name)))
  const url = `"$BASE${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`
  return [
    method === 'GET' ? `curl ${url}` : `curl -X ${method} ${url}`,
    ...(access === 'public' ? [] : [`-H "Authorization: ${AUTH_SCHEME} $KEY"`]),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ')
}

function typescript({ method, path, parameters, body }: SampleCall): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const params = [
    ...(inPath.length === 0 ? [] : [`path: ${literal(inPath)}`]),
    ...(shownQuery(parameters).length === 0 ? [] : [`query: ${literal(shownQuery(parameters))}`]),
  ]
  const options = [
    ...(params.length === 0 ? [] : [`params: { ${params.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: ${indentedLiteral(body)}`]),
  ]
  const given = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`
  return `const { data, error } = await client.${method}('${path}'${given})`
}

/** JSON over several lines, with quotes around property names only where they are needed. */
function indentedLiteral(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
  return lines.replaceAll('\n', '\n  ')
}

function shownQuery(parameters: readonly SampleParameter[]): readonly SampleParameter[] {
  return SHOWN_QUERY.flatMap((name) =>
    parameters.filter((parameter) => parameter.in === 'query' && parameter.name === name),
  ).slice(0, SHOWN_QUERY_MAX)
}

function exampleIn(parameters: readonly SampleParameter[], name: string): unknown {
  return parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.example
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value))
}

function literal(parameters: readonly SampleParameter[]): string {
  return `{ ${parameters.map(({ name, example }) => `${name}: ${JSON.stringify(example)}`).join(', ')} }`
}
