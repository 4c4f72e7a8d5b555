import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { id, integer, nullable, oneOf, personal, text, timestamp } from '../record/field.ts'
import { boundFilter, idFilter, window, wordFilter } from '../record/filter.ts'
import { orElse, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { publicAnswers, publishedAnswers, storedAnswers } from './answers.ts'
import { surveyCategories, surveys } from './surveys.ts'

export const surveyResponses = resource({
  name: 'SurveyResponse',
  collection: 'survey-responses',
  description: "One customer's answers to a survey.",
  idField: 'responseId',
  person: { by: 'contactId', carriedIn: ['answers'] },
  removal: true,
  selectsMany: { surveyId: ['submittedAt'] },
  fields: {
    responseId: id(),
    surveyId: id(),
    contactId: nullable(id()),
    siteId: nullable(id()),
    score: nullable(integer()),
    category: nullable(oneOf(surveyCategories)),
    satisfaction: nullable(integer()),
    freetext: personal(nullable(text())),
    notes: personal(nullable(text())),
    answers: publishedAnswers(),
    submittedAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: { answers: orElse(storedAnswers(), {}) },
  compute: { answers: publicAnswers },
})

const filters = {
  siteId: idFilter('siteId', 'Only responses about this site.'),
  category: wordFilter('category', surveyCategories, 'Only responses in this category.'),
  minScore: boundFilter('score', 'atLeast', 'Only responses with at least this score.'),
  maxScore: boundFilter('score', 'atMost', 'Only responses with at most this score.'),
  ...window('submittedAt'),
  ...window('updatedAt'),
}

export const listSurveyResponses = collection({
  id: 'surveyResponses.list',
  path: '/api/v1/surveys/responses',
  tag: 'Surveys',
  summary: 'List responses to all surveys',
  resource: surveyResponses,
  filters: { surveyId: idFilter('surveyId', 'Only responses to this survey.'), ...filters },
  order: newestFirst('submittedAt', 'responseId'),
})

export const listResponsesOfSurvey = collection({
  id: 'surveyResponses.listOfSurvey',
  path: '/api/v1/surveys/{surveyId}/responses',
  tag: 'Surveys',
  summary: 'List responses to one survey',
  resource: surveyResponses,
  parent: { resource: surveys, param: 'surveyId' },
  filters,
  order: newestFirst('submittedAt', 'responseId'),
})

export const getResponseOfSurvey = detail({
  id: 'surveyResponses.getOfSurvey',
  path: '/api/v1/surveys/{surveyId}/responses/{responseId}',
  tag: 'Surveys',
  summary: 'Retrieve a response to a survey',
  resource: surveyResponses,
  parent: { resource: surveys, param: 'surveyId' },
})
