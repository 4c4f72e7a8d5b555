/** Markup in which every value is escaped; only `html` makes it. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = string | number | Html | readonly Html[] | null

/**
 * Makes markup from a template, for content and quoted attributes. Text is escaped, markup is inserted unchanged, and
 * null inserts nothing.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.reduce((markup, part, index) => markup + rendered(values[index - 1] ?? null) + part))
}

/** Marks text as markup. Only for constants of this program, never for input. */
export function trusted(markup: string): Html {
  return new Html(markup)
}

function rendered(value: Value): string {
  if (value === null) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(({ markup }) => markup).join('')
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  // U+0000 is not allowed in a document, and a lone surrogate has no UTF-8 form.
  return text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)
}

/** Text without control characters, which must not get into the header of an email. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim()
}
