/** How long a family's own alarm has to handle due work before the sweep checks it, in ms. */
export const ALARM_MS = 600_000
