/** The phone metadata for the Worker, as JSON. */
export function phoneRules(): string
