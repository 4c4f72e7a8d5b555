import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  boolean,
  id,
  impersonal,
  nullable,
  oneOf,
  text,
  timestamp,
  IdInput,
  json,
  type Field,
} from '../record/field.ts'
import { booleanFilter, window, wordFilter } from '../record/filter.ts'
import { orElse, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import * as v from 'valibot'
import { isJsonObject } from '../text/encoding.ts'

const types = ['nps', 'csat', 'star', 'sentiment', 'custom'] as const

const textKeys = [
  'questionText',
  'incentiveInstructions',
  'incentiveClaimInstructions',
  'reviewButtonText',
  'lowScoreFreetextLabel',
  'lowScoreFreetextPlaceholder',
  'highScoreFreetextLabel',
  'highScoreFreetextPlaceholder',
  'submitButtonText',
  'lowScaleLabel',
  'highScaleLabel',
  'successMessage',
  'freetextLabel',
  'freetextPlaceholder',
  'satisfactionLabel',
  'notesLabel',
  'notesPlaceholder',
  'redirectInterstitialMessage',
  'redirectInterstitialButtonText',
] as const

const switchKeys = [
  'enableLocationSelection',
  'incentiveEnabled',
  'enableFreetext',
  'freetextRequired',
  'enableSatisfaction',
  'enableNotes',
  'notesRequired',
  'redirectInterstitialEnabled',
] as const

const categoryTextKeys = ['label', 'buttonText', 'buttonUrl', 'freetextPlaceholder'] as const

/** The categories of a response. They depend on its score or on the chosen option. */
export const surveyCategories = [
  'negative',
  'neutral',
  'positive',
  'detractor',
  'passive',
  'promoter',
] as const

const categoryEntries = v.entriesFromList(categoryTextKeys, v.optional(v.string()))
const contentEntries = v.entriesFromList(surveyCategories, v.optional(v.strictObject(categoryEntries)))

const entries = {
  ...v.entriesFromList(textKeys, v.optional(v.string())),
  ...v.entriesFromList(switchKeys, v.optional(v.boolean())),
  freetextThreshold: v.optional(v.pipe(v.number(), v.safeInteger())),
  visibleLocationIds: v.optional(v.array(v.string())),
  categoryContent: v.optional(v.strictObject(contentEntries)),
}

const Config = v.strictObject(entries)
type Config = v.InferOutput<typeof Config>

/** Removes null values, which some exports write for a setting that was not made. */
function withoutNulls(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
  )
}

const ConfigInput: v.GenericSchema<unknown, Config> = v.pipe(
  v.unknown(),
  v.check((value) => !Array.isArray(value), 'must be an object'),
  v.transform(withoutNulls),
  v.object({
    ...entries,
    visibleLocationIds: v.optional(v.array(IdInput)),
    categoryContent: v.optional(
      v.object(v.entriesFromList(surveyCategories, v.optional(v.object(categoryEntries)))),
    ),
  }),
)

/**
 * The settings of a survey, each of one type. An import may contain more; settings that are not published are dropped,
 * because they belong to the program that made the survey.
 */
export function surveyConfig(): Field<Config> {
  return impersonal(json(Config, ConfigInput))
}

export const surveys = resource({
  name: 'Survey',
  collection: 'surveys',
  description:
    'Questions put to customers. `config` has the settings that were made; the others are left out.',
  idField: 'id',
  removal: true,
  fields: {
    id: id(),
    surveyType: oneOf(types),
    name: impersonal(text()),
    description: impersonal(nullable(text())),
    isPublished: orElse(boolean(), false),
    config: orElse(surveyConfig(), {}),
    publicUrl: impersonal(nullable(text())),
    parentSurveyId: nullable(id()),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listSurveys = collection({
  id: 'surveys.list',
  path: '/api/v1/surveys',
  tag: 'Surveys',
  summary: 'List surveys',
  resource: surveys,
  filters: {
    isPublished: booleanFilter('isPublished', 'Only published, or only unpublished, surveys.'),
    surveyType: wordFilter('surveyType', types, 'Only surveys of this type.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'id'),
})

export const getSurvey = detail({
  id: 'surveys.get',
  path: '/api/v1/surveys/{surveyId}',
  tag: 'Surveys',
  summary: 'Retrieve a survey',
  resource: surveys,
  param: 'surveyId',
})
