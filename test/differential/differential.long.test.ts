import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thorough } from '../support/runner/thorough.ts'
import { compare } from './compare.ts'
import { deviations } from './deviations.ts'
import { formio } from './formio.ts'
import { CASES_PER_DEFINITION, casesOf } from './generate.ts'
import { surveyCore } from './survey-core.ts'

// `npm test` draws a few pairs, .ci/nightly many.
const pairs = Number(process.env.DIFFERENTIAL_PAIRS ?? thorough(20_000, 150))
/** Among fewer pairs, a deviation may be missing by chance. */
const ENOUGH_PAIRS = 5_000
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 20_261_120)

describe.each([surveyCore, formio])('visibility beside $name', (library) => {
  const known = deviations.filter((deviation) => deviation.library === library.name)

  it(`differs in known ways only (DIFFERENTIAL_SEED=${seed}, ${pairs} cases)`, { timeout: 300_000 }, () => {
    const occurrences = new Map(known.map(({ id }) => [id, 0]))
    let different = 0
    const property = fc.property(casesOf(library.shares), (cases) => {
      for (const testCase of cases) {
        const { isDifferent, unexplained, occurred } = compare(testCase, library, known)
        expect(unexplained).toBeNull()
        different += Number(isDifferent)
        for (const id of occurred) occurrences.set(id, (occurrences.get(id) ?? 0) + 1)
      }
    })
    fc.assert(property, { seed, numRuns: Math.ceil(pairs / CASES_PER_DEFINITION) })
    console.log(
      `${library.name}: seed ${seed}, ${pairs} cases, ${different} differ`,
      Object.fromEntries(occurrences),
    )
    expect(different).toBeGreaterThan(0)
    if (pairs < ENOUGH_PAIRS) return
    const unused = [...occurrences].filter(([, count]) => count === 0).map(([id]) => id)
    expect(unused, 'explanations that explain nothing').toEqual([])
  })
})

it('explains each difference once, for a library that is compared', () => {
  expect(new Set(deviations.map(({ id }) => id)).size).toBe(deviations.length)
  const libraries = [surveyCore.name, formio.name]
  expect(deviations.filter(({ library }) => !libraries.includes(library))).toEqual([])
})
