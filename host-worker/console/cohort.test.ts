import { expect, test } from 'vitest'
import { HORIZONS, inColumns, shareOf } from './app/analytics/cohort.ts'

test('a cohort of nobody has no share, and one that nobody left has the share 0', () => {
  const churnWithin = { '30': 0, '60': 1, '90': 1, '180': 2, '365': 2 }
  const shares = (cohortSize: number) => HORIZONS.map((days) => shareOf({ cohortSize, churnWithin }, days))
  expect(shares(4)).toEqual([0, 0.25, 0.25, 0.5, 0.5])
  expect(shares(0)).toEqual([null, null, null, null, null])
})

test('cohorts are in the order of their plans, and the unknown one is last', () => {
  const cohorts = [null, 'Gold', 'Basic', null, 'Gold'].map((dimensionValue) => ({ dimensionValue }))
  expect(inColumns(cohorts).map(({ dimensionValue }) => dimensionValue)).toEqual([
    ...['Basic', 'Gold', 'Gold', null, null],
  ])
})
