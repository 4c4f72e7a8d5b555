import * as v from 'valibot'
import { collection, newestFirst } from '../record/endpoint.ts'
import {
  boolean,
  id,
  impersonal,
  Instant,
  InstantInput,
  integer,
  json,
  nullable,
  personal,
  text,
  timestamp,
  uuid,
} from '../record/field.ts'
import { booleanFilter, idFilter, numberFilter, window } from '../record/filter.ts'
import { assigned, computed, orElse, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const Reply = v.strictObject({ comment: v.nullable(v.string()), repliedAt: Instant })
const ReplyInput = v.strictObject({ comment: v.nullish(v.string(), null), repliedAt: InstantInput })

const content = {
  googleReviewId: id(),
  siteId: nullable(id()),
  rating: integer(1, 5),
  comment: personal(nullable(text())),
  reviewerName: personal(nullable(text())),
  reviewerPhotoUrl: personal(nullable(text())),
  replied: boolean(),
  reply: personal(nullable(json(Reply, ReplyInput))),
  createdAt: timestamp(),
}

/** What was said in public stays. */
const PUBLIC = { stays: 'a review is public' }

/** The reviews that an organization has imported, including those that are never shown. */
export const reviews = resource({
  name: 'ImportedReview',
  collection: 'reviews',
  seenByParent: true,
  person: PUBLIC,
  description: 'A review as it was imported.',
  idField: 'reviewId',
  fields: {
    reviewId: uuid(),
    ...content,
    replied: orElse(content.replied, false),
    createdAt: orNow(content.createdAt),
    updatedAt: updatedAt(),
  },
  hidden: { isDeleted: boolean(), isPreview: boolean() },
})

/**
 * The reviews that an organization reads: its own and those of its child organizations. The store keeps a copy for each
 * organization that may read a review, so that a read never spans two tenants.
 */
export const visibleReviews = resource({
  name: 'Review',
  collection: 'visible-reviews',
  description: 'A review of one of the sites of the organization or of its child organizations.',
  idField: 'rowId',
  keptFrom: 'reviews',
  person: PUBLIC,
  removal: { collection: 'reviews', id: 'reviewId', parent: 'ownerId' },
  fields: {
    reviewId: assigned(uuid()),
    organizationId: computed(id(), ['ownerId']),
    googleReviewId: assigned(content.googleReviewId),
    siteId: assigned(content.siteId),
    siteName: assigned(impersonal(nullable(text()))),
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
    /** The key of a row: review ids are unique only within their owner. It sorts by the review's id, then by owner. */
    rowId: assigned(impersonal(text())),
  },
  compute: { organizationId: ({ ownerId }) => ownerId },
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
