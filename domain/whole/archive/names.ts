/** The name of the format in manifests, and the version of it that this service writes. Every earlier one can be read. */
export const ARCHIVE_FORMAT = 'tenant-data-archive'
export const ARCHIVE_VERSION = 1

export const MANIFEST = 'manifest.json'
export const ORGANIZATION = 'organization.json'
