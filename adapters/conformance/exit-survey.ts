import assert from 'node:assert/strict'
import type { ExitSurveySource, InstantRange, ReasonCount } from '../../ports/index.ts'

/** An event in the form in which the source receives it. */
export interface SurveyEvent {
  readonly eventId: string
  readonly reasonCode: string
  readonly occurredAt: string
}

/** A source under test, and a way to put events into it. */
export interface ExitSurveyInstance {
  readonly source: ExitSurveySource
  /** Delivers events of an organization to the source; an event that it already has may be delivered again. */
  deliver(organizationId: string, events: readonly SurveyEvent[]): Promise<void>
}

/** Makes a fresh, empty source with the organizations `org`, `org-a` and `org_a`. */
export type MakeExitSurvey = () => Promise<ExitSurveyInstance>

/** One promise of `ExitSurveySource`, with the check that an adapter keeps it. Rejects when it does not. */
export interface ExitSurveyCase {
  readonly name: string
  run(make: MakeExitSurvey): Promise<void>
}

const everything: InstantRange = { start: null, end: null }
const [BEFORE, FIRST, MIDDLE, LAST, BEHIND] = [
  '2024-02-28T23:59:59.999Z',
  '2024-02-29T00:00:00.000Z',
  '2024-02-29T12:00:00.001Z',
  '2024-02-29T23:59:59.999Z',
  '2024-03-01T00:00:00.000Z',
] as const

function event(eventId: string, occurredAt: string, reasonCode = 'moved'): SurveyEvent {
  return { eventId, reasonCode, occurredAt }
}

/** The counts by reason code. The source must be available. */
async function counted(
  { source }: ExitSurveyInstance,
  range: InstantRange = everything,
  organizationId = 'org-a',
): Promise<Record<string, number>> {
  const answer = await source.open(organizationId).countReasons(range, new AbortController().signal)
  assert(answer.kind === 'counts', JSON.stringify(answer))
  const codes = answer.counts.map(({ code }) => code)
  assert.equal(new Set(codes).size, codes.length)
  return Object.fromEntries(answer.counts.map(({ code, count }: ReasonCount) => [code, count]))
}

export const exitSurveySuite: readonly ExitSurveyCase[] = [
  {
    name: 'reasons are counted by their code exactly as it was recorded',
    async run(make) {
      const survey = await make()
      const codes = [
        'moved',
        'Moved',
        'MOVED ',
        'too_expensive',
        'it\'s 100% "odd" \\ {x:String}',
        'Größe 🚗',
        '%41',
      ]
      const events = codes.flatMap((code, index) =>
        Array.from({ length: index + 1 }, (_, copy) => event(`${index}-${copy}`, MIDDLE, code)),
      )
      await survey.deliver('org-a', events)
      const expected = Object.fromEntries(codes.map((code, index) => [code, index + 1]))
      assert.deepEqual(await counted(survey), expected)
    },
  },
  {
    name: 'both bounds of a range belong to it, to the millisecond, and either may be missing',
    async run(make) {
      const survey = await make()
      await survey.deliver(
        'org-a',
        [BEFORE, FIRST, MIDDLE, LAST, BEHIND].map((at, index) => event(`e-${index}`, at)),
      )
      const counts: readonly (readonly [InstantRange, number])[] = [
        [everything, 5],
        [{ start: FIRST, end: LAST }, 3],
        [{ start: FIRST, end: null }, 4],
        [{ start: null, end: LAST }, 4],
        [{ start: MIDDLE, end: MIDDLE }, 1],
        [{ start: BEFORE, end: BEHIND }, 5],
        [{ start: BEHIND, end: BEFORE }, 0],
        [{ start: '0000-01-01T00:00:00.000Z', end: '9999-12-31T23:59:59.999Z' }, 5],
        [{ start: '9999-12-31T00:00:00.000Z', end: null }, 0],
        [{ start: null, end: '0001-01-01T00:00:00.000Z' }, 0],
      ]
      for (const [range, count] of counts) {
        assert.deepEqual(
          await counted(survey, range),
          count === 0 ? {} : { moved: count },
          JSON.stringify(range),
        )
      }
    },
  },
  {
    name: 'an organization sees its own events and nothing of organizations with similar names',
    async run(make) {
      const survey = await make()
      await survey.deliver('org', [event('e-1', MIDDLE, 'of org')])
      await survey.deliver('org_a', [event('e-1', MIDDLE, 'of org_a'), event('e-2', MIDDLE, 'of org_a')])
      assert.deepEqual(await counted(survey, everything, 'org-a'), {})
      await survey.deliver('org-a', [event('e-1', MIDDLE, 'of org-a')])
      assert.deepEqual(await counted(survey, everything, 'org'), { 'of org': 1 })
      assert.deepEqual(await counted(survey, everything, 'org-a'), { 'of org-a': 1 })
      assert.deepEqual(await counted(survey, everything, 'org_a'), { 'of org_a': 2 })
      assert.deepEqual(await counted(survey, everything, 'or'), {})
      assert.deepEqual(await counted(survey, everything, 'ORG-A'), {})
    },
  },
  {
    name: 'an event that is delivered again counts once, with what was said last',
    async run(make) {
      const survey = await make()
      await survey.deliver('org-a', [event('e-1', FIRST), event('e-2', FIRST)])
      await survey.deliver('org-a', [event('e-1', FIRST)])
      assert.deepEqual(await counted(survey), { moved: 2 })
      await survey.deliver('org-a', [event('e-2', FIRST, 'too_expensive')])
      assert.deepEqual(await counted(survey), { moved: 1, too_expensive: 1 })
    },
  },
]
