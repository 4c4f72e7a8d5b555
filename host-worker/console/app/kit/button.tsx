import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useState } from 'preact/hooks'
import { toast } from './toasts.tsx'

/** A handler that makes a call, whatever the event. */
export function calls<Given extends readonly unknown[]>(act: (...given: Given) => void, ...given: Given) {
  return (): void => {
    act(...given)
  }
}

interface ButtonProps extends Omit<HTMLAttributes<HTMLButtonElement>, 'class'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  readonly type?: 'button' | 'submit'
  /** Whether what the button does is being done. It stays focusable, but does nothing more. */
  readonly isRunning?: boolean
  readonly children: ComponentChildren
}

/** A button. Its text says what it does. */
export function Button({
  kind = 'plain',
  type = 'button',
  isRunning = false,
  children,
  ...rest
}: ButtonProps) {
  const { onClick, ...others } = rest
  return (
    <button
      {...others}
      type={type}
      class={`button ${kind}`}
      aria-disabled={isRunning ? 'true' : undefined}
      aria-busy={isRunning ? 'true' : undefined}
      onClick={(event) => {
        if (isRunning) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {children}
    </button>
  )
}

interface RowButtonProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  readonly verb: string
  /** What it is done to, for a screen reader: the buttons of all rows have the same text. */
  readonly of: string
  readonly onClick: () => void
}

/** A button in a row of a table. */
export function RowButton({ verb, of, onClick, ...rest }: RowButtonProps) {
  return (
    <Button {...rest} aria-label={`${verb} ${of}`} onClick={onClick}>
      {verb}
    </Button>
  )
}

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
