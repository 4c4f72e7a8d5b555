// The adapters of rows that are kept elsewhere. They are loaded together, by the first request for such rows.
export { openDubLinks } from '../../adapters/links-dub/index.ts'
export { openLegacyVendor } from '../../adapters/pos-legacy-vendor/index.ts'
export { createOdbcPosSources } from '../../adapters/pos-odbc/index.ts'
