/** The organization is not in the place that was asked. Nothing was read or written. */
export class ElsewhereError extends Error {}

/** The organization's writes are paused while it is moved to another place. Nothing was written. */
export class PausedError extends Error {}
