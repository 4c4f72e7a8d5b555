import { createDraw } from './draw.ts'
import { siteIds } from './sites.ts'

const COUNT = 40
const SEED = 70_2027

const comments = {
  high: ['Spotless, and quick.', 'Friendly crew, great wash.', null],
  low: ['The dryer missed half of the car.', 'Waited for forty minutes.', null],
} as const

/** The demo's reviews as import lines, with one that was deleted and one preview placeholder. */
export function* reviewLines(): Generator<Readonly<Record<string, unknown>>> {
  const draw = createDraw(SEED)
  for (let index = 1; index <= COUNT; index += 1) {
    const number = String(index).padStart(3, '0')
    const rating = draw.chance(70) ? 5 : 1 + draw.below(4)
    const createdAt = draw.instant()
    const replied = draw.chance(40)
    yield {
      reviewId: `018f3c6e-7b1a-7c3d-9e2f-000000000${number}`,
      googleReviewId: `demo-google-review-${number}`,
      siteId: draw.pick(siteIds),
      rating,
      comment: draw.pick(comments[rating > 3 ? 'high' : 'low']),
      reviewerName: draw.pick(['Ada L.', 'Grace H.', 'Alan T.', 'Edsger D.']),
      replied,
      reply: replied ? { comment: 'Thank you for telling us.', repliedAt: createdAt } : null,
      createdAt,
      isDeleted: index === 7,
      isPreview: index === 11,
    }
  }
}
