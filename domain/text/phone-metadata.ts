import type { MetadataJson } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/max/metadata'

/**
 * The full metadata of every country's phone numbers. The Worker's build replaces this module by one that contains the
 * metadata as text, without the parts for formatting, and parses it when it is first needed.
 */
export function phoneMetadata(): MetadataJson {
  return metadata
}
