import type { Row } from '../engine/changes.ts'
import type { PlacedChange } from '../service/stored-places.ts'
import { LONG_TEXTS, networkIn, SPAM_TEXTS } from '../setting.ts'
import { digestIn, isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

/** From which time on a text within an hour is spam, and a submission of a form from one network within a minute. */
const TEXTS = { nth: 10, withinMs: 3_600_000 }
const NETWORK = { nth: 21, withinMs: 60_000 }
/** So many must have been marked as each before anything is taken for spam because of that. */
const TAUGHT_MIN = 5
/** How late a call may be stored, in ms: usually, and when calls may be slow; a write also waits for a move. */
const LATE_MS = 20_000
const SLOW_LATE_MS = 200_000

/** The columns that a mark may change. */
const MARKED: ReadonlySet<string> = new Set(['spam', 'spam_reasons', 'held', 'contact_id', 'updated_at'])

interface VerdictWatch extends Watch {
  /** Whether the root secret has been exchanged. What came before that is not recognised. */
  readonly isRotated: () => boolean
}

/** How much earlier or later than it is stored a call may have been made, in ms, by the clock of whoever made it. */
export function lateMaxMs(faults: Watch['faults']): number {
  return (faults.mayBe('storageSlow') ? SLOW_LATE_MS : LATE_MS) + 2 * faults.clockErrorMaxMs
}

/** The verdicts about submissions: which of them are no spam, or were none at some time. */
export interface Verdicts {
  readonly check: ChangeCheck
  /** Those of a batch that were saved as no spam, or were released in it, in the order in which they are stored. */
  followedIn(changes: readonly PlacedChange[]): readonly HomeChange[]
  /** The submissions that were gathered into digests, and whether they are among the first, which it names. */
  readonly gathered: Map<string, boolean>
  /** Whether a submission is no spam, or was none at some time, so that all else follows from it. */
  hasFollowed(organizationId: string, submissionId: string): boolean
}

/**
 * Checks each verdict against a second implementation of its rules, and that nothing follows from spam, once all when
 * it is released, and nothing twice. What follows, other checks look at.
 */
export function createVerdicts({
  stored,
  faults,
  nowMs,
  violated,
  happened,
  isRotated,
}: VerdictWatch): Verdicts {
  const followed = new Set<string>()
  const savedAtMs = new Map<string, number[]>()
  let [latest, latestFollowed]: [readonly PlacedChange[], readonly HomeChange[]] = [[], []]

  const followedIn = (changes: readonly PlacedChange[]): readonly HomeChange[] => {
    if (changes === latest) return latestFollowed
    const found = changes
      .filter(isAtHome)
      .filter(({ table, after }) => table === 'form_submissions' && after?.spam === 0)
      .filter((change) => !followed.has(nameOf(change)))
      .sort((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
    for (const change of found) followed.add(nameOf(change))
    ;[latest, latestFollowed] = [changes, found]
    return found
  }
  /** How many like this were saved before within a time: at least, and at most. */
  const earlier = (key: string, withinMs: number): readonly [least: number, most: number] => {
    const lateMs = lateMaxMs(faults)
    const ages = (savedAtMs.get(key) ?? []).map((atMs) => nowMs() - atMs)
    savedAtMs.set(key, [...(savedAtMs.get(key) ?? []), nowMs()])
    const count = (maxMs: number) => ages.filter((ageMs) => ageMs < maxMs).length
    return [isRotated() ? 0 : count(withinMs - lateMs), count(withinMs + lateMs)]
  }
  const judged = ({ organizationId, after }: HomeChange): void => {
    const { message = '' } = JSON.parse(textOf(after?.answers)) as { readonly message?: string }
    const reasons = JSON.parse(textOf(after?.spam_reasons) || '[]') as readonly string[]
    const named = `${textOf(after?.submission_id)} of ${textOf(after?.form_id)}, ${JSON.stringify(message)}`
    const wrong = (what: string) => {
      violated('a verdict is as the rules say', `${named}: ${what}, not ${reasons.join()}`)
    }
    if (after?.spam !== Number(reasons.length > 0)) wrong(`spam is ${String(after?.spam)}`)
    const isSpam = (SPAM_TEXTS as readonly string[]).includes(message)
    if (reasons.some((reason) => ['words', 'markup', 'link_in_name'].includes(reason)) !== isSpam)
      wrong(isSpam ? 'its content' : 'nothing in its content')
    const network = networkIn(message)
    const text = message.toLowerCase()
    const isLong = LONG_TEXTS.some((long) => long.toLowerCase() === text) || isSpam
    const counted = (reason: string, of: string | null, { nth, withinMs }: typeof TEXTS): void => {
      const key = [organizationId, after?.form_id, reason, of].join(' ')
      const [least, most] = of === null ? [0, 0] : earlier(key, withinMs)
      const has = reasons.includes(reason)
      if (has ? most < nth - 1 : least >= nth - 1) wrong(`${reason} after ${least} to ${most}`)
      if (has) happened(reason === 'flood' ? 'a network floods a form' : 'a text comes too often')
    }
    counted('repeated', isLong ? text : null, TEXTS)
    counted('flood', network, NETWORK)
    if (isSpam) happened('a submission is spam by its content')
    if (!reasons.includes('learned')) return
    const marks = stored.rowsOf(organizationId, 'submission_marks')
    const counts = [0, 1].map((said) => marks.filter((row) => row.is_spam === said).length)
    if (counts.some((count) => count < TAUGHT_MIN)) wrong(`${counts.join(' clean and ')} spam were marked`)
    happened('a submission is like what was marked as spam')
  }
  const marked = (change: HomeChange, follows: boolean): void => {
    const { before, after, columns, organizationId } = change
    const named = `${nameOf(change)}: ${columns.join()} of ${JSON.stringify(after ?? before)}`
    const other = columns.find((column) => !MARKED.has(column))
    if (after === null || other !== undefined || !columns.includes('spam'))
      violated('a submission stays as it was saved, but for its verdict', named)
    if (columns.includes('contact_id') && !follows)
      violated('a submission has the contact that it was saved or released with', named)
    const mark = stored.rowOf(organizationId, 'submission_marks', after?.submission_id)
    if (mark?.is_spam !== after?.spam) violated('only a person changes a verdict', named)
    if (follows) happened('spam is released')
    else happened(after?.spam === 1 ? 'a submission is marked as spam' : 'a mark is taken back')
  }
  /** A person's mark wins over every verdict. */
  const checkMark = ({ organizationId, before, after }: HomeChange): void => {
    const row = (after ?? before) as Row
    const mark = stored.rowOf(organizationId, 'submission_marks', row.submission_id)
    const submission = stored.rowOf(organizationId, 'form_submissions', row.submission_id)
    if (submission?.spam !== 0 && submission?.spam !== 1)
      violated('a submission is spam or not', JSON.stringify(submission))
    if (typeof mark?.is_spam === 'number' && mark.is_spam !== submission?.spam)
      violated(
        'what a person says of a submission stands',
        `${JSON.stringify(mark)}: ${JSON.stringify(submission)}`,
      )
  }
  /** What is to be done because of a submission is written with it, or when it is released. */
  const checkWork = (
    { table, organizationId, before, after }: HomeChange,
    now: ReadonlySet<string>,
  ): void => {
    if (table !== 'outbox' || before !== null || textOf(after?.submission_id) === '') return
    // What takes the place of a digest tells of what was gathered.
    if (after?.kind === 'notification_email' && digestIn(after).count > 0) return
    if (!now.has(`${organizationId} ${textOf(after?.submission_id)}`))
      violated('nothing follows from spam, or a second time', JSON.stringify(after))
  }
  return {
    followedIn,
    gathered: new Map(),
    hasFollowed: (organizationId, submissionId) => followed.has(`${organizationId} ${submissionId}`),
    check(changes) {
      const follow = new Set(followedIn(changes))
      const named = new Set([...follow].map(nameOf))
      const home = changes.filter(isAtHome)
      const submissions = home.filter(({ table }) => table === 'form_submissions')
      for (const change of submissions)
        if (change.before === null) judged(change)
        else marked(change, follow.has(change))
      for (const change of home) {
        if (change.table === 'submission_marks' || change.table === 'form_submissions') checkMark(change)
        checkWork(change, named)
      }
      const following = home.find(
        ({ table, before }) => table === 'contacts' || (table === 'outbox' && before === null),
      )
      if (submissions.length > 0 && follow.size === 0 && following !== undefined)
        violated(
          'nothing follows from spam, or a second time',
          `${following.table}: ${JSON.stringify(following.after)}`,
        )
    },
  }
}

function nameOf({ organizationId, before, after }: HomeChange): string {
  return `${organizationId} ${textOf((after ?? before)?.submission_id)}`
}

/** A text that sorts as submissions that are released together do. */
function placeOf({ after }: HomeChange): string {
  return `${textOf(after?.submitted_at)} ${textOf(after?.submission_id)}`
}
