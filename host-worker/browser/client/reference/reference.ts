/** The part of the viewer's script (`@scalar/api-reference`) that this page uses. */
declare const Scalar: {
  createApiReference(target: string, configuration: Readonly<Record<string, unknown>>): unknown
}

// The viewer keeps what a visitor enters in `localStorage`. A key must not outlive its tab, so on this page that name
// leads to the storage of the tab. This script runs before the viewer's.
Object.defineProperty(window, 'localStorage', { value: window.sessionStorage })

/** Shows the two contract documents of the host that serves this page. Nothing is requested from other hosts. */
function show(): void {
  Scalar.createApiReference('#reference', {
    sources: [
      {
        title: 'Tenant data API',
        slug: 'api',
        url: '/api/v1/openapi.json',
        default: true,
        authentication: { preferredSecurityScheme: 'tenantKey' },
      },
      {
        title: 'Operator interface',
        slug: 'operator',
        url: '/operator/v1/openapi.json',
        authentication: { preferredSecurityScheme: 'operatorKey' },
      },
    ],
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    persistAuth: true,
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: hiddenClients(),
    operationTitleSource: 'summary',
    servers: [{ url: location.origin, description: 'The service that shows this page.' }],
  })
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
document.addEventListener('DOMContentLoaded', show)
