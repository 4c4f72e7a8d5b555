import type { MetadataJson } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/max/metadata'

/**
 * The rules of every country's phone numbers, the full set. The Worker's build replaces this module by one that holds
 * them as text, without what only formatting needs, and reads the text when a number is first asked about.
 */
export function phoneMetadata(): MetadataJson {
  return metadata
}
