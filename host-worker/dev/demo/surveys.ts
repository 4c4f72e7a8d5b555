import { createDraw } from './draw.ts'
import { siteIds } from './sites.ts'

const COUNT = 120
const SEED = 120_2026
const NPS_ID = 'survey-nps'
const STAR_ID = 'survey-visit'

/** The demo's surveys, as import lines. */
export const surveyLines: readonly Readonly<Record<string, unknown>>[] = [
  {
    id: NPS_ID,
    surveyType: 'nps',
    name: 'Would you recommend us?',
    description: 'Sent a week after each tenth wash.',
    isPublished: true,
    config: {
      questionText: 'How likely are you to recommend Sparkle to a friend?',
      lowScaleLabel: 'Not at all',
      highScaleLabel: 'Very',
      submitButtonText: 'Send',
      enableFreetext: true,
      freetextRequired: false,
      enableLocationSelection: true,
      freetextThreshold: 7,
      visibleLocationIds: [siteIds[0], siteIds[1]],
      categoryContent: {
        detractor: { label: 'We are sorry', freetextPlaceholder: 'What went wrong?' },
        promoter: { label: 'Thank you!', buttonText: 'Review us', buttonUrl: 'https://example.com/review' },
      },
    },
    publicUrl: 'https://sparkle.example.com/surveys/nps',
    createdAt: '2024-09-01T09:00:00-04:00',
  },
  {
    id: STAR_ID,
    surveyType: 'star',
    name: 'Your visit',
    isPublished: true,
    config: { questionText: 'How was your visit?', enableNotes: true, notesLabel: 'Anything else?' },
    createdAt: '2025-02-01T09:00:00-05:00',
  },
  {
    id: 'survey-closing',
    surveyType: 'custom',
    name: 'Why did you leave?',
    isPublished: false,
    config: {},
    parentSurveyId: STAR_ID,
    createdAt: '2025-08-01T09:00:00-04:00',
  },
]

/** The responses to these surveys, as import lines. */
export function* surveyResponseLines(): Generator<Readonly<Record<string, unknown>>> {
  const draw = createDraw(SEED)
  for (let index = 1; index <= COUNT; index += 1) {
    const isNps = draw.chance(60)
    const score = isNps ? 10 - draw.below(5) * draw.below(3) : 1 + draw.below(5)
    yield {
      responseId: `response-${String(index).padStart(3, '0')}`,
      surveyId: isNps ? NPS_ID : STAR_ID,
      contactId: draw.chance(80) ? `contact-${String(1 + draw.below(2000)).padStart(4, '0')}` : null,
      siteId: draw.pick(siteIds),
      score,
      category: isNps ? npsCategory(score) : null,
      satisfaction: isNps ? null : score,
      freetext: draw.chance(30) ? draw.pick(['Great wash.', 'The line was too long.', 'Muy bien.']) : null,
      answers: { score },
      submittedAt: draw.instant(),
    }
  }
}

function npsCategory(score: number): string {
  if (score >= 9) return 'promoter'
  return score >= 7 ? 'passive' : 'detractor'
}
