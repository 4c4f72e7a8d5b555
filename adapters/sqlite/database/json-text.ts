/** Text that this service wrote as the JSON of a value of this type. */
export type JsonText<Value> = string & {
  /** Never set: it carries the type of the value. */
  readonly valueType?: Value
}

/** The value that was written. Throws when the text is no JSON. */
export function parsed<Value>(text: JsonText<Value>): Value {
  // Stored JSON was checked before it was written. Checking it again at each read would cost every request time.
  return JSON.parse(text) as Value
}
