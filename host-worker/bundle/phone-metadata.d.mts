/** JSON of the phone metadata that is in the Worker. */
export function phoneRules(): string
