import { firstKeyPlugin } from './first-key.ts'
import { searchPlugin } from './search.ts'
import { samplesPlugin } from './samples.ts'
import type { ContractDocument, SwaggerUi } from './swagger-ui.ts'
import { forTrying } from './trying.ts'

declare const SwaggerUIBundle: SwaggerUi

const DOCUMENT_PATH = '/api/v1/openapi.json'

/**
 * Shows the contract document of the host that serves this page. A key that the visitor enters stays in the page's
 * memory.
 */
async function show(): Promise<void> {
  const response = await fetch(DOCUMENT_PATH)
  if (!response.ok) throw new Error(`The contract document cannot be read (${response.status}).`)
  SwaggerUIBundle({
    spec: forTrying((await response.json()) as ContractDocument),
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    // Nothing is requested from other hosts.
    validatorUrl: null,
    plugins: [searchPlugin, samplesPlugin, firstKeyPlugin],
  })
}

show().catch((error: unknown) => {
  const place = document.querySelector('#reference')
  if (place !== null) place.textContent = String(error)
})
