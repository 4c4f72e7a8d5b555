import * as v from 'valibot'
import type { RandomSource } from '../../../ports/platform.ts'
import type { Secrets, SecretVersion } from '../../access/secrets.ts'
import { bytesOfBase64, concatenated, toBase64, utf8 } from '../../text/encoding.ts'
import { parsedOr } from '../../text/json.ts'
import { delimiters } from '../file/csv-cells.ts'
import type { Reading } from './read-part.ts'

const line = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

/** A reading as it is stored with its session, perhaps by another version of the service. */
const StoredReading = v.object({
  line,
  rest: v.pipe(v.string(), v.regex(/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/)),
  dropped: v.nullable(v.object({ line, message: v.string() })),
  header: v.nullable(
    v.variant('kind', [
      v.object({ kind: v.literal('announced'), delimiter: v.picklist(delimiters) }),
      v.object({
        kind: v.literal('fields'),
        names: v.array(v.nullable(v.string())),
        delimiter: v.picklist(delimiters),
      }),
      v.object({ kind: v.literal('faulty') }),
    ]),
  ),
  lineEnd: v.nullable(v.number()),
  /**
   * The version of the root secret under which `rest` is sealed: AES-GCM, the nonce first, bound to the import. Null or
   * left out: `rest` is not sealed.
   */
  sealedUnder: v.optional(v.nullable(v.string()), null),
})
type StoredReading = Reading & Partial<Pick<v.InferOutput<typeof StoredReading>, 'sealedUnder'>>

const KEY_BYTES = 32
const NONCE_BYTES = 12

/** The ports by which the rest of a reading is sealed. */
interface Sealing {
  readonly secrets: () => Promise<Secrets>
  readonly random: RandomSource
}

/** Seals what waits of an incomplete line, because it may contain a secret of the line. */
export async function sealReading(
  reading: Reading,
  importId: string,
  { secrets, random }: Sealing,
): Promise<StoredReading> {
  if (reading.rest === '') return reading
  const { current } = await secrets()
  const nonce = random.bytes(NONCE_BYTES).slice()
  const sealed = await crypto.subtle.encrypt(
    algorithm(nonce, importId),
    await keyOf(current, 'encrypt'),
    bytesOfBase64(reading.rest),
  )
  return {
    ...reading,
    rest: toBase64(concatenated([nonce, new Uint8Array(sealed)])),
    sealedUnder: current.version,
  }
}

const OTHER_VERSION = 'Another version of the service began to read this file. Import it again.'

/** The reading as it was before it was stored, or a sentence that says why it cannot be continued. */
export async function unsealReading(
  text: string,
  importId: string,
  { secrets }: Pick<Sealing, 'secrets'>,
): Promise<Reading | string> {
  const checked = v.safeParse(StoredReading, parsedOr(text, null))
  if (!checked.success) return OTHER_VERSION
  const { sealedUnder, ...stored } = checked.output
  if (sealedUnder === null) return stored
  const secret = (await secrets()).find(sealedUnder)
  if (secret === null) return 'The root secret was changed while the file was imported. Import it again.'
  const bytes = bytesOfBase64(stored.rest)
  const opened = crypto.subtle.decrypt(
    algorithm(bytes.slice(0, NONCE_BYTES), importId),
    await keyOf(secret, 'decrypt'),
    bytes.slice(NONCE_BYTES),
  )
  const rest = await opened.catch(() => null)
  return rest === null ? OTHER_VERSION : { ...stored, rest: toBase64(new Uint8Array(rest)) }
}

function algorithm(nonce: Uint8Array<ArrayBuffer>, importId: string): AesGcmParams {
  return { name: 'AES-GCM', iv: nonce, additionalData: utf8(importId) }
}

async function keyOf(secret: SecretVersion, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  const bytes = await secret.subkey('import-reading', KEY_BYTES)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [use])
}
