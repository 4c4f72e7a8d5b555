import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from '../../domain/contract/catalog.ts'
import type { Endpoint } from '../../domain/contract/endpoint.ts'
import { buildDocument } from '../../domain/contract/openapi.ts'

const document = buildDocument(endpoints) as unknown as Document
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ ...document, $id: 'contract' })

/** Checks a JSON body against what the contract document says of this endpoint and status; `[]` when it fits. */
export function validatorOf(endpoint: Endpoint, status: number): (body: unknown) => readonly string[] {
  const pointer = ['paths', endpoint.path, endpoint.method.toLowerCase(), 'responses', String(status)]
  const response = pointer.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key],
    document,
  ) as ResponseObject
  const resolved = response.$ref === undefined ? pointer : response.$ref.slice(2).split('/')
  const path = [...resolved, 'content', 'application/json', 'schema'].map(escapePointer).join('/')
  const validate = ajv.compile({ $ref: `contract#/${path}` })
  return (body) => {
    void validate(body)
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
    )
  }
}

function escapePointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))
}

interface Document {
  readonly paths: Readonly<Record<string, unknown>>
}

interface ResponseObject {
  readonly $ref?: string
}
