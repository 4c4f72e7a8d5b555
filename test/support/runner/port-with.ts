/** A port like another one, except for what is changed. A relayed port cannot be spread, but this works for it too. */
export function portWith<Port extends object>(port: Port, changes: Partial<Port>): Port {
  return Object.setPrototypeOf({ ...changes }, port) as Port
}
