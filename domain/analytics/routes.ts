import { operationRoute } from '../record/operation/operation-route.ts'

export const membersRoute = operationRoute({
  id: 'analytics.members',
  method: 'GET',
  path: '/api/v1/members',
  access: 'tenant',
  scope: 'read',
  requires: 'analytics',
})

export const cohortsRoute = operationRoute({
  id: 'analytics.cohorts',
  method: 'GET',
  path: '/api/v1/cohorts',
  access: 'tenant',
  scope: 'read',
  requires: 'analytics',
})

export const retentionOffersRoute = operationRoute({
  id: 'analytics.retentionOffers',
  method: 'GET',
  path: '/api/v1/retention-offers',
  access: 'tenant',
  scope: 'read',
  requires: 'retentionOfferAnalytics',
})

export const cancellationsRoute = operationRoute({
  id: 'analytics.cancellations',
  method: 'GET',
  path: '/api/v1/cancellations',
  access: 'tenant',
  scope: 'read',
  requires: 'analytics',
})

export const cancellationSurveyRoute = operationRoute({
  id: 'analytics.cancellationSurvey',
  method: 'GET',
  path: '/api/v1/cancellation-survey',
  access: 'tenant',
  scope: 'read',
})
