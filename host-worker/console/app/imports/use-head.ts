import { useEffect, useState } from 'preact/hooks'
import type { Head } from '../../../../domain/imports/file/head.ts'
import { readHead } from '../../../../domain/imports/file/head.ts'
import { PART_BYTES } from '../../../../domain/imports/file/limits.ts'
import { failureOf } from '../service/failure.ts'
import { bytesOf } from './file-source.ts'
import type { ImportFormat, ImportKind } from './import-kind.ts'
import { rulesOf } from './import-kind.ts'

/** The beginning of a chosen CSV file; null: there is none, or it is being read. */
export function useHead(file: File | null, format: ImportFormat, kind: ImportKind | null): Head | null {
  const [head, setHead] = useState<Head | null>(null)
  useEffect(() => {
    setHead(null)
    if (file === null || kind === null || format !== 'csv') return
    let isLatest = true
    const settle = (found: Head): void => {
      if (isLatest) setHead(found)
    }
    bytesOf(file, 0, PART_BYTES).then(
      (bytes) => {
        settle(readHead(bytes, bytes.length === file.size, rulesOf(kind, {})))
      },
      (thrown: unknown) => {
        settle({ problem: failureOf(thrown).message })
      },
    )
    return () => {
      isLatest = false
    }
  }, [file, format, kind])
  return head
}
