/** A text that somebody else wrote, such as an answer. Its marks of direction turn nothing around it. */
export function TheirText({ text }: { readonly text: string }) {
  return <bdi>{text}</bdi>
}
