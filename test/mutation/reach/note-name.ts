/** The name of the file in which the calls of a test file are noted. */
export function noteName(testFile: string): string {
  return testFile.replaceAll(/[\\/]/g, '+')
}
