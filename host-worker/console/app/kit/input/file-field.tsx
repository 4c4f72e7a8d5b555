import { useEffect, useState } from 'preact/hooks'

interface FileFieldProps {
  readonly label: string
  /** Endings of names and media types that the browser offers first. */
  readonly accept: string
  /** The file that was chosen; null: none yet. */
  readonly file: File | null
  readonly onFile: (file: File) => void
}

/** A place to drop a file on, and a button to choose one. */
export function FileField({ label, accept, file, onFile }: FileFieldProps) {
  const [isOver, setOver] = useState(false)
  useNoStrayDrops()
  const take = (files: FileList | null | undefined): void => {
    const [first] = files ?? []
    if (first !== undefined) onFile(first)
  }
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => {
        setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <label class="button">
        {label}
        <input
          type="file"
          class="visually-hidden"
          accept={accept}
          onChange={(event) => {
            const field = event.currentTarget
            take(field.files)
            // The same file can be chosen again, after it was corrected.
            field.value = ''
          }}
        />
      </label>
      <span class="soft">{file === null ? 'or drop it here' : file.name}</span>
    </div>
  )
}

/** A file that misses the place must not take the browser away from the page. */
function useNoStrayDrops(): void {
  useEffect(() => {
    const ignore = (event: Event): void => {
      event.preventDefault()
    }
    window.addEventListener('dragover', ignore)
    window.addEventListener('drop', ignore)
    return () => {
      window.removeEventListener('dragover', ignore)
      window.removeEventListener('drop', ignore)
    }
  }, [])
}
