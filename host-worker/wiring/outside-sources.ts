// The adapters of rows that are stored elsewhere. The first request for such rows loads all of them.
export { createClickHouseExitSurvey } from '../../adapters/exit-survey-clickhouse/index.ts'
export { openDubLinks } from '../../adapters/links-dub/index.ts'
export { openLegacyVendor } from '../../adapters/pos-legacy-vendor/index.ts'
export { createOdbcPosSources } from '../../adapters/pos-odbc/index.ts'
