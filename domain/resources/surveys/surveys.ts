import { collection, detail, newestFirst } from '../../record/endpoint.ts'
import { boolean, id, impersonal, nullable, oneOf, text, timestamp } from '../../record/field.ts'
import { booleanFilter, window, wordFilter } from '../../record/filter.ts'
import { orElse, orNow, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { surveyConfig } from './survey-config.ts'

const types = ['nps', 'csat', 'star', 'sentiment', 'custom'] as const

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
