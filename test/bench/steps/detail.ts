import { sql } from 'kysely'
import { keyedStatement } from '../../../adapters/sqlite/read/keyed-statements.ts'
import { textOfRows } from '../../../adapters/sqlite/read/bounded-rows.ts'
import { readingOf } from '../../../adapters/sqlite/read/reading.ts'
import { bind, template } from '../../../adapters/sqlite/statement/compiler.ts'
import { rowsOf } from '../../../adapters/sqlite/statement/executor.ts'
import { serviceTables } from '../../../adapters/sqlite/table/table-set.ts'
import { serveRead } from '../../../domain/read/serve-read.ts'
import { selection } from '../../../domain/record/resource.ts'
import { contacts, getContact } from '../../../domain/resources/contacts/contacts.ts'
import { nowOf } from '../../../adapters/sqlite/write/write-clock.ts'
import { systemClock } from '../../../host-worker/system.ts'
import type { KeyClaim } from '../../../ports/keys.ts'
import type { OneQuery } from '../../../ports/records.ts'
import { claimIn, executorOf, routed, routedTo, worldOf, type Arrived, type Step } from './step.ts'

const select = selection(contacts)

function queryOf({ url }: Arrived): OneQuery {
  const id = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
  return { kind: 'one', collection: contacts.collection, select, id }
}

/** The statement that selects a contact as JSON text, and nothing else. */
const rowAsText = template(sql<{ readonly text: string }>`
  select ${textOfRows(readingOf(serviceTables, { kind: 'one', collection: contacts.collection, select, id: '' }), '')} as text`)

function rowStatement(arrived: Arrived) {
  return bind(rowAsText, { owner: 'bench', id: queryOf(arrived).id })
}

/** The claim of the isolate's first request, kept so that one step can have the claim at no cost. */
let known: KeyClaim | null = null

async function readWithKey(arrived: Arrived, claim: KeyClaim): Promise<Response> {
  const reading = readingOf(serviceTables, queryOf(arrived))
  const statement = keyedStatement({ ...claim, now: nowOf(systemClock) }, [reading], 0)
  const [row] = await rowsOf(executorOf(arrived), statement)
  return json(row !== undefined && 'result0' in row ? row.result0 : null)
}

function json(text: string | null | undefined): Response {
  return new Response(text ?? null, { headers: { 'content-type': 'application/json' } })
}

/** Everything that the service adds to reading a row by its id, step by step. */
export const detailSteps: readonly Step[] = [
  {
    adds: 'the row is written as JSON by SQLite, bounded in size',
    answer: async (arrived) => {
      const { sql: text, parameters } = rowStatement(arrived)
      const row = await arrived.database
        .prepare(text)
        .bind(...parameters)
        .first<{ text: string }>()
      return json(row?.text)
    },
  },
  {
    adds: 'the executor: a batch, retried on a lock, its rows counted',
    answer: async (arrived) => json((await rowsOf(executorOf(arrived), rowStatement(arrived)))[0]?.text),
  },
  {
    adds: 'the same statement proves the key, reads its organization and looks where it lives',
    answer: async (arrived) => readWithKey(arrived, (known ??= await claimIn(arrived))),
  },
  {
    adds: 'the key is read from its header, its hash remembered',
    answer: async (arrived) => readWithKey(arrived, await claimIn(arrived)),
  },
  {
    adds: 'the ports, made anew for each request; the storage of wherever the organization lives',
    answer: async (arrived) => {
      const { storage } = await worldOf(arrived)
      const found = await storage.open(await claimIn(arrived)).read([queryOf(arrived)])
      const [result] = found.authenticated ? found.results : []
      return json(result?.kind === 'lines' ? result.text : null)
    },
  },
  {
    adds: 'query string, plan, rate and scope of the key, its last use, the reply',
    answer: async (arrived) => {
      const params = { [getContact.param]: queryOf(arrived).id }
      const { body, status, headers } = await serveRead(
        getContact,
        routedTo(arrived, params),
        await worldOf(arrived),
      )
      return new Response(body, { status, headers })
    },
  },
  routed,
]
