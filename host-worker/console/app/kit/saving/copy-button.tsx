import { useState } from 'preact/hooks'
import { Button } from '../button.tsx'
import { toast } from '../toasts/toasts.ts'

/** Copies a text to the clipboard. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        toast(`Copied ${what}.`)
      },
      () => {
        toast(`The browser did not allow copying ${what}. Select and copy it by hand.`)
      },
    )
  }
  return (
    <Button kind="quiet" aria-label={`Copy ${what}`} onClick={copy}>
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}
