interface Parameter {
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[]
}

/** The part of a contract document that this page changes. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

/**
 * The document in a form for trying calls. The viewer fills in every example, and a call with all filters at once finds
 * nothing. So the examples of optional parameters are moved into their descriptions.
 */
export function forTrying(document: ContractDocument): ContractDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withTold(operation)])),
  ])
  return { ...document, paths: Object.fromEntries(paths) as ContractDocument['paths'] }
}

function withTold(operation: DocumentedOperation): DocumentedOperation {
  return operation.parameters === undefined
    ? operation
    : { ...operation, parameters: operation.parameters.map(told) }
}

function told(parameter: Parameter): Parameter {
  const { example, ...rest } = parameter
  if (example === undefined || parameter.required === true) return parameter
  return {
    ...rest,
    description: `${parameter.description ?? ''}\n\nFor example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\``,
  }
}
