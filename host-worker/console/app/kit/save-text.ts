/** Gives the browser a text, in one part or several, to save as a file. */
export function saveText(name: string, type: string, ...parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
