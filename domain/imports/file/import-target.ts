import type { Content, Inputs } from '../../text/requests.ts'
import { contentDigest, type ImportTarget, type ReceivedPart, type TransferAnswer } from './transfer.ts'

type Operation = 'open' | 'sendPart' | 'commit' | 'write' | 'abort'

/** Calls an operation of an import. */
type Ask = (operation: Operation, inputs: Inputs) => Promise<TransferAnswer>

/** Where the files of an organization are imported by the operator interface of a service. */
export function importTarget(organizationId: string, ask: Ask): ImportTarget {
  const one = (importId: string) => ({ params: { organizationId, importId } })
  return {
    open: ({ isDryRun = false, takesAttributes = false, listsProblems = false, ...file }) => {
      // A service of an earlier version does not know these.
      const more = {
        ...(takesAttributes && { attributes: true }),
        ...(listsProblems && { allProblems: true }),
      }
      return ask('open', { params: { organizationId }, body: { ...file, dryRun: isDryRun, ...more } })
    },
    part: (importId, part) => {
      const params = { organizationId, importId, part: String(part.part) }
      return ask('sendPart', { params, content: contentOf(part) })
    },
    commit: (importId) => ask('commit', one(importId)),
    write: (importId) => ask('write', one(importId)),
    abort: (importId) => ask('abort', one(importId)),
  }
}

function contentOf(part: ReceivedPart): Content {
  const headers = { 'content-type': 'application/octet-stream', 'content-digest': contentDigest(part) }
  return { headers, body: part.bytes }
}
