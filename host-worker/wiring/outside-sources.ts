// The adapters of rows that are stored elsewhere. The first request for such rows loads all of them. They are imported
// through this module, because a module that is imported on demand keeps all its exports, used or not.
export { createClickHouseExitSurvey } from '../../adapters/exit-survey-clickhouse/index.ts'
export { openDubLinks } from '../../adapters/links-dub/index.ts'
export { openLegacyVendor } from '../../adapters/pos-legacy-vendor/index.ts'
export { createOdbcPosSources } from '../../adapters/pos-odbc/index.ts'
