import { html, type Html } from '../../domain/text/html.ts'
import { GUIDES_PATH, REFERENCE_PATH, START_PATH } from './paths.ts'

/** The bar at the top of every page, with the ways between them. */
export function top(): Html {
  return html`<nav class="top" aria-label="Pages">
    <a href="${START_PATH}"><strong>Tenant data API</strong></a>
    <a href="${GUIDES_PATH}">Guides</a>
    <a href="${REFERENCE_PATH}">Reference</a>
  </nav>`
}
