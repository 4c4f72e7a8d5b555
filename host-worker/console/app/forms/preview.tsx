import { useEffect, useRef, useState } from 'preact/hooks'
import { clientSpeechOf, type ClientForm } from '../../../../domain/forms/language/client-form.ts'
import { sayerOf, type Say, type Voice } from '../../../../domain/forms/language/words.ts'
import type { FormPath } from '../../../../domain/forms/language/compile.ts'
import { formSnippet, formStyle } from '../../../../domain/forms/form-page.ts'
import { orderedJson } from '../../../../domain/text/encoding.ts'
import type * as FormClient from '../../../browser/client/index.ts'
import { TextArea } from '../kit/controls.tsx'
import { Card, Empty } from '../kit/page.tsx'
import { useEditor } from './controls.tsx'
import { placeIn, readSource, replaceForm, type Span } from './editing.ts'

/** Within this time further changes are awaited, so that a large form is not shown anew for each letter. */
const SHOWN_AFTER_MS = 100

interface PreviewProps {
  /** The form as it is now; null: it cannot be shown. */
  readonly form: ClientForm | null
  /** How the form speaks to its visitors. */
  readonly voice: Voice
  readonly successTitle: string | null
  readonly successMessage: string | null
}

/**
 * The form as visitors see it: its own HTML with the script that pages load, on the definition as it is here. Nothing is
 * stored and nothing is sent. It is in a shadow tree, where the console's style sheet and ids do not reach it.
 */
export function Preview({ form, voice, successTitle, successMessage }: PreviewProps) {
  const speech = useSpeech(voice)
  const place = useRef<HTMLDivElement>(null)
  const last = useRef<ClientForm | null>(null)
  const [client, setClient] = useState<typeof FormClient | null>(null)
  const [isSubmitted, setSubmitted] = useState(false)
  const shown = form ?? last.current
  last.current = shown
  useEffect(() => {
    void loadClient().then(setClient)
  }, [])
  const release = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (client === null || shown === null || speech === null) return
    const timer = setTimeout(() => {
      if (place.current === null) return
      release.current()
      setSubmitted(false)
      release.current = showForm(place.current, { ...shown, ...speech.client }, speech.say, client, () => {
        setSubmitted(true)
      })
    }, SHOWN_AFTER_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [JSON.stringify(shown), client, speech])
  useEffect(
    () => () => {
      release.current()
    },
    [],
  )
  return (
    <Card title="Preview">
      {form === null && shown !== null && (
        <p class="note">This is the form as it was before: what is wrong must be mended first.</p>
      )}
      {shown === null && (
        <Empty title="There is nothing to show yet.">The form can be seen when it has no problems.</Empty>
      )}
      <div class="preview" ref={place} />
      <div role="status">
        {isSubmitted && (
          <div class="note">
            <p>Nothing was sent: this is a preview. After a submission a visitor sees:</p>
            <p>
              <strong>{successTitle ?? speech?.say(['successTitle'])}</strong>{' '}
              {successMessage ?? speech?.say(['successMessage'])}
            </p>
          </div>
        )}
      </div>
    </Card>
  )
}

interface Speech {
  readonly say: Say
  readonly client: Awaited<ReturnType<typeof clientSpeechOf>>
}

/** The words in which a form speaks to its visitors; null until they are loaded. */
export function useSpeech(voice: Voice): Speech | null {
  const [speech, setSpeech] = useState<Speech | null>(null)
  useEffect(() => {
    let isWanted = true
    void Promise.all([sayerOf(voice), clientSpeechOf(voice)]).then(([say, client]) => {
      if (isWanted) setSpeech({ say, client })
    })
    return () => {
      isWanted = false
    }
  }, [JSON.stringify([voice.language, voice.texts])])
  return speech
}

/** The script that pages load, from where they load it. */
async function loadClient(): Promise<typeof FormClient> {
  const path = '/form-client.js'
  return (await import(path)) as typeof FormClient
}

/** Shows a form, with what was typed into the one before it. Returns what takes the script off it. */
function showForm(
  place: HTMLElement,
  definition: ClientForm,
  say: Say,
  client: typeof FormClient,
  onSubmitted: () => void,
): () => void {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
  const typed = controlsIn(root).map(({ name, value, checked }) => ({ name, value, checked }))
  // Markup of this project alone, in which every text of the form is escaped.
  root.innerHTML = formSnippet(definition, { service: window.location.origin, hasClient: false, say })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(formStyle())
  root.adoptedStyleSheets = [sheet]
  for (const control of controlsIn(root)) restore(control, typed)
  const form = root.querySelector('form')
  if (form === null) return () => undefined
  // Before the script is attached, which leaves a submission that was prevented alone.
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    onSubmitted()
  })
  const attached = client.attach(form, definition)
  return () => {
    attached.detach()
  }
}

function controlsIn(root: ShadowRoot): readonly HTMLInputElement[] {
  return [...root.querySelectorAll<HTMLInputElement>('input, textarea')]
}

type Typed = readonly Pick<HTMLInputElement, 'name' | 'value' | 'checked'>[]

function restore(control: HTMLInputElement, typed: Typed): void {
  const isTicked = control.type === 'checkbox' || control.type === 'radio'
  const before = typed.find(
    ({ name, value }) => name === control.name && (!isTicked || value === control.value),
  )
  if (before === undefined) return
  if (isTicked) control.checked = before.checked
  else control.value = before.value
}

interface SourceViewProps {
  /** A part that is to be shown; null: none is. */
  readonly sought: { readonly path: FormPath } | null
  /** Told whether the text is a form. */
  readonly onReading: (isForm: boolean) => void
}

/** The form as JSON, for what the editor has no control for. */
export function SourceView({ sought, onReading }: SourceViewProps) {
  const { editing, change } = useEditor()
  const [text, setText] = useState(() => JSON.stringify(editing.form, null, 2))
  const area = useRef<HTMLDivElement>(null)
  const reading = readSource(text)
  useEffect(() => {
    onReading(reading.kind === 'form')
    if (reading.kind === 'form' && orderedJson(reading.form) !== orderedJson(editing.form))
      change(replaceForm(reading.form))
  }, [text])
  useEffect(() => {
    if (sought !== null) select(area.current, text, placeIn(text, sought.path))
  }, [sought])
  return (
    <Card title="Source">
      <div ref={area}>
        <TextArea
          label="The form as JSON"
          hint="What you change here is changed in the form as soon as it is JSON."
          error={reading.kind === 'wrong' ? reading.sentence : null}
          class="source"
          rows={28}
          spellcheck={false}
          value={text}
          onValue={setText}
        />
      </div>
    </Card>
  )
}

/** Selects a part of the source, and scrolls to it. */
function select(around: HTMLElement | null, text: string, { start, end }: Span): void {
  const area = around?.querySelector('textarea') ?? null
  if (area === null) return
  area.focus()
  area.setSelectionRange(start, end)
  const line = text.slice(0, start).split('\n').length - 1
  const all = text.split('\n').length
  area.scrollTop = Math.max(0, (line / all) * area.scrollHeight - area.clientHeight / 3)
}
