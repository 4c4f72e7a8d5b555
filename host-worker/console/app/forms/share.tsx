import type { Bitmap2D } from 'lean-qr'
import { useEffect, useState } from 'preact/hooks'
import { formPath } from '../../../../domain/forms/page-path.ts'
import { Button, CopyButton } from '../kit/controls.tsx'
import { Dialog } from '../kit/dialog.tsx'

interface ShareProps {
  readonly formId: string
  readonly onClose: () => void
}

/** The address of a form's own page, to be given to people. */
export function ShareDialog({ formId, onClose }: ShareProps) {
  return (
    <Dialog title="Share the form" onClose={onClose}>
      <FormAddress formId={formId} />
      <Button onClick={onClose}>Close</Button>
    </Dialog>
  )
}

/** The address of a form's own page, to copy, to open and to scan. */
export function FormAddress({ formId }: Pick<ShareProps, 'formId'>) {
  const address = `${window.location.origin}${formPath(formId)}`
  return (
    <>
      <div class="copied">
        <code>{address}</code>
        <CopyButton text={address} what="the address" />
        <a class="button" href={address} target="_blank" rel="noreferrer">
          Open
        </a>
      </div>
      <Code text={address} />
    </>
  )
}

/** The squares around a code that scanners need blank (ISO/IEC 18004, quiet zone). */
const MARGIN = 4

/** A text as a QR code, black on white in either scheme, because not every scanner reads the reverse. */
function Code({ text }: { readonly text: string }) {
  const [code, setCode] = useState<{ readonly size: number; readonly squares: string } | null>(null)
  useEffect(() => {
    let isWanted = true
    void import('lean-qr').then(({ generate }) => {
      const made = generate(text)
      if (isWanted) setCode({ size: made.size, squares: squaresOf(made) })
    })
    return () => {
      isWanted = false
    }
  }, [text])
  if (code === null) return null
  const side = code.size + 2 * MARGIN
  return (
    <svg
      class="qr"
      role="img"
      aria-label="QR code of the address"
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
      <path d={code.squares} fill="#000" />
    </svg>
  )
}

function squaresOf(code: Bitmap2D): string {
  const places = Array.from({ length: code.size }, (_, place) => place)
  return places.flatMap((y) => places.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`)).join('')
}
