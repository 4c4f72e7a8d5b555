import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The index of the formats in the library's list for a country, and the value there for a country without formats. */
const FORMATS = 4
const NONE = 0

/**
 * The phone metadata as JSON, without the rules for formatting. They are not needed, because the service only checks
 * whether a number is valid and computes its E.164 form.
 */
export function phoneRules() {
  const path = createRequire(import.meta.url).resolve('libphonenumber-js/max/metadata')
  const metadata = JSON.parse(readFileSync(path, 'utf8'))
  for (const plans of [metadata.countries, metadata.nonGeographic]) {
    for (const plan of Object.values(plans)) plan[FORMATS] = NONE
  }
  return JSON.stringify(metadata)
}

/**
 * Replaces `domain/text/phone-metadata.ts`. As an object in the source code, the metadata would be a quarter of the
 * code that every isolate compiles at its start. As text it costs almost nothing until it is parsed.
 */
export const phoneMetadata = {
  name: 'phone-metadata',
  setup(build) {
    build.onLoad({ filter: /[\\/]domain[\\/]text[\\/]phone-metadata\.ts$/ }, () => ({
      contents: [
        `const rules = ${JSON.stringify(phoneRules())}`,
        'let metadata',
        'export const phoneMetadata = () => (metadata ??= JSON.parse(rules))',
      ].join('\n'),
    }))
  },
}
