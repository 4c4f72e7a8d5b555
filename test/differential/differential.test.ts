import { describe, expect, it } from 'vitest'
import { seededRandom } from '../support/runner/fakes.ts'
import { compare, minimise } from './compare.ts'
import { deviations } from './deviations.ts'
import { formio } from './formio.ts'
import { generateCases } from './generate.ts'
import { surveyCore } from './survey-core.ts'

// `npm test` draws a part of the pairs; test/ci/suites/differential.sh draws ten thousand for each library.
const pairs = Number(process.env.DIFFERENTIAL_PAIRS ?? 150)
/** Among fewer pairs, a deviation may be missing by chance. */
const ENOUGH_PAIRS = 5_000
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 20_261_120)

describe.each([surveyCore, formio])('visibility beside $name', (library) => {
  const known = deviations.filter((deviation) => deviation.library === library.name)

  it(`differs in known ways only (DIFFERENTIAL_SEED=${seed}, ${pairs} cases)`, { timeout: 300_000 }, () => {
    const cases = generateCases(seededRandom(seed), library.shares)
    const occurrences = new Map(known.map(({ id }) => [id, 0]))
    let different = 0
    for (let index = 0; index < pairs; index += 1) {
      const testCase = cases.next().value
      const { isDifferent, unexplained, occurred } = compare(testCase, library, known)
      if (unexplained !== null) {
        const smallest = minimise(testCase, (one) => compare(one, library, known).unexplained !== null)
        const why = compare(smallest, library, known).unexplained
        expect.fail(
          `Case ${index} of seed ${seed} is not explained: ${why}\n${JSON.stringify(smallest, null, 2)}`,
        )
      }
      different += Number(isDifferent)
      for (const id of occurred) occurrences.set(id, (occurrences.get(id) ?? 0) + 1)
    }
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
