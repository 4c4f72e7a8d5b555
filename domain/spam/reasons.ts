/**
 * Why a submission is spam, in words for people. The store keeps the words on the left, beside the submission; the
 * sender learns none of them.
 */
export const spamReasons = {
  link_in_name: 'A link where a name belongs',
  markup: 'Links written as code',
  words: 'Words of well-known spam',
  repeated: 'The tenth time of one text within an hour',
  flood: 'More than 20 from one network within a minute',
  learned: 'Like what was marked as spam before',
  marked: 'Somebody marked it as spam',
} as const

export type SpamReason = keyof typeof spamReasons
