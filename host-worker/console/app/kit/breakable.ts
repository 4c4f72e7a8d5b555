/** A text in parts, between which a line may end: behind marks of long addresses and ids. Joined, they are the text. */
export function breakableParts(text: string): readonly string[] {
  return text.length < LONG_LENGTH ? [text] : text.split(PLACE)
}

/** What is shorter fits any line. */
const LONG_LENGTH = 20

/** A place is behind a mark, with five characters of the word before that and four behind: its ends are not cut off. */
const PLACE = /(?<=\S{5}[@.\-_/?&=+])(?=[^\s@.\-_/?&=+]\S{3})/
