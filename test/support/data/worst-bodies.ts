// Sends the worst bodies within the limits to the two sends and to a form, in a process with little memory, and prints
// the answers as JSON. test/e2e/worst-bodies.system.test.ts starts it.
import { EMAIL_MAX_BYTES, MESSAGE_MAX_BYTES } from '../../../domain/messaging/request.ts'
import { BODY_MAX_BYTES } from '../../../domain/forms/language/definition.ts'
import { plainForm } from '../../bench/seed.ts'
import { createScratchStorage } from '../scratch/scratch-storage.ts'
import { openTestService } from '../services/service.ts'

const service = await openTestService((clock) => createScratchStorage({ clock }))
const key = await service.addOrganization('acme', { slug: 'acme', smsNumber: '+12125550100' })
await service.storage.tenant('acme').upsert('forms', [plainForm])

const bodies: Readonly<Record<string, (bytes: number) => string>> = {
  'numbers for attachments': (bytes) => `{"_gotcha":"","attachments":[${repeated('0,', bytes)}0]}`,
  'numbers for recipients': (bytes) => `{"_gotcha":"","to":[${repeated('0,', bytes)}0]}`,
  'texts for recipients': (bytes) => `{"_gotcha":"","to":[${repeated('"é",', bytes / 2)}0]}`,
  objects: (bytes) => `{"_gotcha":"","attachments":[${repeated('{},', bytes)}{}]}`,
  lists: (bytes) => `{"_gotcha":"","to":[${repeated('[],', bytes)}[]]}`,
  'lists in lists': (bytes) => `{"_gotcha":"","to":${nested('[', '', ']', bytes)}}`,
  'objects in objects': (bytes) => `{"_gotcha":"","to":${nested('{"to":', '0', '}', bytes)}}`,
  'unknown keys': (bytes) => `{"_gotcha":"",${unknownKeys(bytes)}}`,
  'everything wrong': (bytes) =>
    `{"_gotcha":"","to":[${repeated('0,', 124)}0],"attachments":[${repeated('{},', 57)}{}],"subject":"","html":0,"body":0,"from":0,"replyTo":"${'"'.padStart(bytes - 1_300, '@')}}`,
  'an object that never ends': (bytes) => repeated('{"":', bytes),
  'a text that never ends': (bytes) => `{"_gotcha":"","${repeated('\\"', bytes)}`,
}

/** Repeats a text as often as it fits into so many bytes. */
function repeated(text: string, bytes: number): string {
  return text.repeat(Math.max(0, Math.floor((bytes - 64) / text.length)))
}

function nested(open: string, innermost: string, close: string, bytes: number): string {
  const levels = Math.floor((bytes - 64) / (open.length + close.length))
  return `${open.repeat(levels)}${innermost}${close.repeat(levels)}`
}

function unknownKeys(bytes: number): string {
  const keys: string[] = []
  for (let length = 64; length < bytes - 64; length += (keys.at(-1)?.length ?? 0) + 1)
    keys.push(`"${keys.length.toString(36)}":0`)
  return keys.join()
}

const places = [
  ['/api/v1/email', EMAIL_MAX_BYTES],
  ['/api/v1/message', MESSAGE_MAX_BYTES],
  ['/api/forms/bench-form/submissions', BODY_MAX_BYTES],
] as const

const answers: unknown[] = []
for (const [path, bytes] of places) {
  for (const [name, make] of Object.entries(bodies)) {
    const headers = { 'content-type': 'application/json' }
    const response = await service.sendUnchecked(path, { method: 'POST', headers, body: make(bytes), key })
    const text = await response.text()
    answers.push({ path, name, status: response.status, length: text.length, text })
  }
}
console.log(JSON.stringify({ answers, errors: service.errors.length }))
