/** Has the browser save a file, as if a link to it had been followed. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the content by then, however slow it is.
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 60_000)
}
