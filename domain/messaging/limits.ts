/** Largest body of `POST /api/v1/message`: 500 numbers, ten media URLs and a text, many times over. */
export const MESSAGE_MAX_BYTES = 262_144

/**
 * Largest body of `POST /api/v1/email`. Six emails are made of it at once, each with its own copy of the attachments,
 * in the 128 MB of a Worker; what is larger goes by `path`.
 */
export const EMAIL_MAX_BYTES = 3_145_728
