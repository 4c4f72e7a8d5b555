/** A text in parts, between which a line may end: behind marks of long addresses and ids. Joined, they are the text. */
export function breakableParts(text: string): readonly string[] {
  return text.length < LONG_LENGTH ? [text] : text.split(PLACE)
}

/** What is shorter fits any line. */
const LONG_LENGTH = 20

/** A place has so many characters of its word on both sides that no line is left with a few. */
const PLACE = /(?<=\S{5}[@.\-_/?&=+])(?=[^\s@.\-_/?&=+]\S{3})/
