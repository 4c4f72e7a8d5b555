/** The maximum length of a header line of an email (RFC 5322, section 2.1.1). */
export const HEADER_MAX_LENGTH = 998

/**
 * The maximum size of a body of `POST /api/v1/message`, in bytes: many times what 500 numbers, ten media URLs and a
 * text take.
 */
export const MESSAGE_MAX_BYTES = 262_144

/**
 * The maximum size of a body of `POST /api/v1/email`, in bytes. Up to six emails are made from it at once, each with
 * its own copy of the attachments, in the 128 MB of a Worker. Larger attachments are given by `path`.
 */
export const EMAIL_MAX_BYTES = 3_145_728
