import * as v from 'valibot'
import { collection, newestFirst } from '../contract/endpoint.ts'
import {
  boolean,
  id,
  Instant,
  InstantInput,
  integer,
  json,
  nullable,
  text,
  timestamp,
  uuid,
} from '../contract/field.ts'
import { booleanFilter, idFilter, numberFilter, window } from '../contract/filter.ts'
import { assigned, computed, resource, updatedAt } from '../contract/resource.ts'

const Reply = v.strictObject({ comment: v.nullable(v.string()), repliedAt: Instant })
const ReplyInput = v.strictObject({ comment: v.nullish(v.string(), null), repliedAt: InstantInput })

const content = {
  googleReviewId: id(),
  siteId: nullable(id()),
  rating: integer(1, 5),
  comment: nullable(text()),
  reviewerName: nullable(text()),
  reviewerPhotoUrl: nullable(text()),
  replied: boolean(),
  reply: nullable(json(Reply, ReplyInput)),
  createdAt: timestamp(),
}

/** What an organization imports: all of its reviews, also those that are never shown. */
export const reviews = resource({
  name: 'ImportedReview',
  collection: 'reviews',
  description: 'A review as it was imported.',
  idField: 'reviewId',
  fields: { reviewId: uuid(), ...content, updatedAt: updatedAt() },
  hidden: { isDeleted: boolean(), isPreview: boolean() },
})

/**
 * What an organization reads: its own reviews and those of its child organizations. The store keeps a row of them for
 * each organization that may read it, so that a read never spans two tenants.
 */
export const visibleReviews = resource({
  name: 'Review',
  collection: 'visible-reviews',
  description: 'A review of one of the sites of the organization or of its child organizations.',
  idField: 'rowId',
  keptFrom: 'reviews',
  fields: {
    reviewId: assigned(uuid()),
    organizationId: computed(id(), ['ownerId'], ({ ownerId }) => String(ownerId)),
    googleReviewId: assigned(content.googleReviewId),
    siteId: assigned(content.siteId),
    siteName: assigned(nullable(text())),
    rating: assigned(content.rating),
    comment: assigned(content.comment),
    reviewerName: assigned(content.reviewerName),
    reviewerPhotoUrl: assigned(content.reviewerPhotoUrl),
    replied: assigned(content.replied),
    reply: assigned(content.reply),
    createdAt: assigned(content.createdAt),
    updatedAt: updatedAt(),
  },
  hidden: {
    ownerId: assigned(id()),
    /** Review ids are unique within their owner only. Orders as the review's id does, then by owner. */
    rowId: assigned(text()),
  },
})

export const listReviews = collection({
  id: 'reviews.list',
  path: '/api/v1/reviews',
  tag: 'Reviews',
  summary: 'List reviews',
  description:
    'Reviews of the organization and of its child organizations; `organizationId` says whose it is. Deleted reviews and ' +
    'preview placeholders are left out. Identifiers are unique within their organization only, so store a review by ' +
    '`organizationId` and `reviewId`. `siteName` is the current name of the site.',
  resource: visibleReviews,
  filters: {
    siteId: idFilter('siteId', 'Only reviews of this site.'),
    rating: numberFilter('rating', 1, 5, 'Only reviews with this rating.'),
    replied: booleanFilter('replied', 'Only reviews that were, or were not, replied to.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'rowId'),
})
