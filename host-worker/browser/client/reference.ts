/** The part of the viewer's script (`@scalar/api-reference`) that this page uses. */
declare const Scalar: {
  createApiReference(target: string, configuration: Readonly<Record<string, unknown>>): unknown
}

// The viewer keeps what a visitor enters in `localStorage`. A key must not outlive its tab, so on this page that name
// leads to the storage of the tab. This script runs before the viewer's.
Object.defineProperty(window, 'localStorage', { value: window.sessionStorage })

// The viewer draws operations as they come near, so a restored position would lie among others than before. The viewer
// itself scrolls to the operation that the address names.
history.scrollRestoration = 'manual'

// The page came with the introduction, which stays until the viewer shows it. Whoever follows a link to an operation does
// not look for it.
const introduction = document.querySelector('.introduction')
if (location.hash !== '') introduction?.remove()

// The documents are requested while the viewer's script, which is large, is still loaded and read.
const sources = Promise.all([
  source('Tenant data API', 'api', '/api/v1/openapi.json', 'tenantKey'),
  source('Operator interface', 'operator', '/operator/v1/openapi.json', 'operatorKey'),
])
// A failure is shown where the documents are awaited.
sources.catch(() => undefined)

/** Shows the two contract documents of the host that serves this page. Nothing is requested from other hosts. */
async function show(): Promise<void> {
  const place = document.querySelector('#reference')
  const shown = new MutationObserver(() => {
    if (place?.querySelector('h1') == null) return
    introduction?.remove()
    shown.disconnect()
  })
  if (place !== null) shown.observe(place, { childList: true, subtree: true })
  Scalar.createApiReference('#reference', {
    sources: await sources,
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    persistAuth: true,
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'none',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: hiddenClients(),
    operationTitleSource: 'summary',
    servers: [{ url: location.origin, description: 'The service that shows this page.' }],
  })
}

/** A document with the kind of key that most of its operations need. */
async function source(title: string, slug: string, path: string, scheme: string): Promise<unknown> {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`The document ${path} cannot be read (${response.status}).`)
  const content = forTrying((await response.json()) as ContractDocument)
  return { title, slug, content, authentication: { preferredSecurityScheme: scheme } }
}

/** The viewer's samples, besides those of the document, are in curl, JavaScript, Python and PHP, one for each. */
function hiddenClients(): Readonly<Record<string, readonly string[] | true>> {
  const languages =
    'c clojure csharp dart fsharp go http java julia kotlin node objc ocaml powershell r ruby rust swift'
  return {
    ...Object.fromEntries(languages.split(' ').map((name) => [name, true as const])),
    js: ['axios', 'jquery', 'ofetch', 'xhr'],
    php: ['guzzle', 'laravel'],
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
    shell: ['httpie', 'wget'],
  }
}

// All deferred scripts have run by then, the viewer's too.
document.addEventListener('DOMContentLoaded', () => {
  show().catch((error: unknown) => {
    const place = document.querySelector('#reference')
    introduction?.remove()
    if (place !== null) place.textContent = String(error)
  })
})

interface Parameter {
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[]
}

/** The part of a contract document that this page changes. */
interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

/**
 * The document in a form for trying calls. The viewer fills in every example, and a call with all filters at once finds
 * nothing. So the examples of optional parameters are moved into their descriptions.
 */
function forTrying(document: ContractDocument): ContractDocument {
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
