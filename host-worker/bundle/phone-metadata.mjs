import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Where a country's formats stand in the library's list of its rules, and what stands there when it has none. */
const FORMATS = 4
const NONE = 0

/**
 * The phone metadata as JSON, without the rules for formatting. The service only asks whether a number is valid and
 * what its E.164 form is, which needs none of them.
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
 * Replaces `domain/text/phone-metadata.ts`. As an object in the source, the rules would be a quarter of what every
 * isolate compiles when it starts; text costs next to nothing until it is read.
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
