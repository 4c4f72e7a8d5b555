import { useMemo, useRef, useState } from 'preact/hooks'
import {
  answersMax,
  filledIn,
  messageAnswers,
  sampleAnswers,
  type MessageAnswers,
  type MessagePart,
} from '../../../../domain/forms/message-text.ts'
import { fieldName, shownFields } from '../../../../domain/forms/shown-answers.ts'
import type { Step } from '../../../../domain/resources/automations.ts'
import { Button, SelectField, TextArea, TextField, calls } from '../kit/controls.tsx'
import { FailureNote, TheirText } from '../kit/page.tsx'
import type { OrganizationProps } from '../organizations/organization.ts'
import { useAction } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { useSpeech } from './preview.tsx'

type Form = BodyOf<'organizationForms.show'>

interface Problem {
  readonly field: string
  readonly message: string
}

interface StepListProps extends OrganizationProps {
  readonly form: Form
  readonly steps: readonly Step[]
  /** What is wrong with the texts, by `steps[0].subject`. */
  readonly problems: readonly Problem[]
  readonly onSteps: (steps: readonly Step[]) => void
}

const titles: Readonly<Record<Step['type'], string>> = {
  send_email: 'Email to the visitor',
  send_sms: 'Text message to the visitor',
  add_to_list: 'Add to a list',
  add_tag: 'Add a tag',
}

/** A new step of each type, with the visitor's first name if the form asks for it. */
function newStep(type: string, fields: ReturnType<typeof shownFields>): Step | null {
  const named = fields.find(({ contactField }) => contactField === 'firstName')
  const hello = named === undefined ? 'Hello' : `Hello {{${named.id}}}`
  switch (type) {
    case 'send_email': {
      const html = `<p>${hello},</p>\n<p>thank you. We have what you sent us, and will be in touch.</p>`
      return { type, to: 'contact', subject: 'Thank you', html }
    }
    case 'send_sms':
      return { type, body: `${hello}, thank you. We have what you sent us.` }
    case 'add_to_list':
      return { type, listId: '' }
    case 'add_tag':
      return { type, tag: '' }
    default:
      return null
  }
}

/** The steps of an automation in their order: what adds, moves and removes them, and the controls of each. */
export function StepList({ organizationId, form, steps, problems, onSteps }: StepListProps) {
  const [type, setType] = useState<string>('send_email')
  const { fields } = form.form
  const shown = useMemo(() => shownFields(fields), [fields])
  const speech = useSpeech(form.form)
  const answers = useMemo(
    () => (speech === null ? null : messageAnswers(fields, sampleAnswers(fields), null, speech.say)),
    [fields, speech],
  )
  const moved = (from: number, to: number) => (): void => {
    const [step] = steps.slice(from, from + 1)
    if (step === undefined || to < 0 || to >= steps.length) return
    onSteps(steps.filter((_, index) => index !== from).toSpliced(to, 0, step))
  }
  return (
    <>
      <ol class="plain-list after-steps">
        {steps.map((step, index) => (
          <li key={index}>
            <fieldset>
              <legend>
                {index + 1}. {titleOf(step)}
              </legend>
              <p class="buttons">
                <Button aria-label={`Move step ${index + 1} up`} onClick={moved(index, index - 1)}>
                  ↑
                </Button>
                <Button aria-label={`Move step ${index + 1} down`} onClick={moved(index, index + 1)}>
                  ↓
                </Button>
                <Button
                  aria-label={`Remove step ${index + 1}`}
                  onClick={calls(onSteps, steps.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              </p>
              <StepControls
                {...{ organizationId, form, step, index, problems, answers }}
                fields={shown.map((field) => ({ value: field.id, label: fieldName(field) }))}
                onStep={(changed) => {
                  onSteps(steps.with(index, changed))
                }}
              />
            </fieldset>
          </li>
        ))}
      </ol>
      <div class="add-field">
        <SelectField
          label="New step"
          value={type}
          onValue={setType}
          options={Object.entries(titles).map(([value, label]) => ({ value, label }))}
        />
        <Button
          onClick={() => {
            const step = newStep(type, shown)
            if (step !== null) onSteps([...steps, step])
          }}
        >
          Add the step
        </Button>
      </div>
    </>
  )
}

/** An imported automation may write to an address of the organization's own. */
function titleOf(step: Step): string {
  return step.type === 'send_email' && step.to !== 'contact' ? `Email to ${step.to}` : titles[step.type]
}

interface StepProps extends OrganizationProps, Pick<StepListProps, 'form' | 'problems'> {
  readonly step: Step
  readonly index: number
  /** Null: not known yet. */
  readonly answers: MessageAnswers | null
  readonly fields: readonly { readonly value: string; readonly label: string }[]
  readonly onStep: (step: Step) => void
}

function StepControls({ step, index, onStep, ...around }: StepProps) {
  const { problems, fields } = around
  const text = (part: MessagePart, label: string, value: string, change: (text: string) => Step) => {
    const own = problems.filter(({ field }) => field === `steps[${index}].${part}`)
    const error = own.length === 0 ? null : own.map(({ message }) => message).join(' ')
    const onText = (given: string): void => {
      onStep(change(given))
    }
    return <Text {...{ part, label, value, error, fields, onText }} of={`step ${index + 1}`} />
  }
  switch (step.type) {
    case 'send_email':
      return (
        <>
          {text('subject', 'Subject', step.subject, (subject) => ({ ...step, subject }))}
          {text('html', 'Text (HTML)', step.html, (html) => ({ ...step, html }))}
          <MessagePreview step={step} index={index} {...around} />
        </>
      )
    case 'send_sms':
      return (
        <>
          {text('body', 'Text', step.body, (body) => ({ ...step, body }))}
          <MessagePreview step={step} index={index} {...around} />
        </>
      )
    case 'add_to_list':
      return (
        <TextField
          label={`Identifier of the list of step ${index + 1}`}
          hint="The visitor’s contact is added to this list of the organization."
          required
          value={step.listId}
          onValue={(listId) => {
            onStep({ ...step, listId })
          }}
        />
      )
    case 'add_tag':
      return (
        <TextField
          label={`Tag of step ${index + 1}`}
          hint="The visitor’s contact gets this tag."
          required
          value={step.tag}
          onValue={(tag) => {
            onStep({ ...step, tag })
          }}
        />
      )
  }
}

interface TextProps extends Pick<StepProps, 'fields'> {
  readonly part: MessagePart
  readonly label: string
  /** Of which step, for a screen reader: the controls of all steps are called the same. */
  readonly of: string
  readonly value: string
  readonly error: string | null
  readonly onText: (text: string) => void
}

const NOT_CHOSEN = ''

/** A text of a message, with a menu that inserts a field of the form where the caret was. */
function Text({ part, label, of, value, error, fields, onText }: TextProps) {
  const caret = useRef<number | null>(null)
  const { answers } = answersMax[part]
  const control = {
    label: `${label} of ${of}`,
    hint: `What visitors answer takes at most ${answers.toLocaleString('en')} characters of it.`,
    error,
    value,
    required: true,
    onValue: onText,
    onBlur: ({ currentTarget }: { readonly currentTarget: { readonly selectionEnd: number | null } }) => {
      caret.current = currentTarget.selectionEnd
    },
  }
  const insert = (id: string): void => {
    if (id === NOT_CHOSEN) return
    const at = Math.min(caret.current ?? value.length, value.length)
    const place = `{{${id}}}`
    caret.current = at + place.length
    onText(value.slice(0, at) + place + value.slice(at))
  }
  return (
    <>
      {part === 'subject' ? (
        <TextField {...control} maxLength={answersMax.subject.whole} />
      ) : (
        <TextArea {...control} rows={part === 'html' ? 8 : 3} />
      )}
      {fields.length > 0 && (
        <SelectField
          label={`Insert an answer into the ${part === 'subject' ? 'subject' : 'text'} of ${of}`}
          value={NOT_CHOSEN}
          onValue={insert}
          options={[{ value: NOT_CHOSEN, label: 'Choose a field…' }, ...fields]}
        />
      )}
    </>
  )
}

type SendingStep = Extract<Step, { readonly type: 'send_email' | 'send_sms' }>

interface PreviewProps extends Omit<StepProps, 'step' | 'onStep' | 'fields' | 'problems'> {
  readonly step: SendingStep
}

/** The message with sample answers, as it is sent, and what sends it to whoever edits it. */
function MessagePreview({ step, index, answers, organizationId, form }: PreviewProps) {
  if (answers === null) return null
  const name = `Preview of step ${index + 1}`
  return (
    <>
      <section class="message-preview" aria-label={name}>
        <p class="soft">Preview, with answers that are made up</p>
        {step.type === 'send_email' ? (
          <>
            <p>
              <strong>
                <TheirText text={filledIn(step.subject, 'subject', answers)} />
              </strong>
            </p>
            {/* No script runs in it, nothing is loaded, and no link leads anywhere. */}
            <iframe title={`${name}: the email`} sandbox="" srcDoc={filledIn(step.html, 'html', answers)} />
          </>
        ) : (
          <p class="message-text">
            <TheirText text={filledIn(step.body, 'body', answers)} />
          </p>
        )}
      </section>
      <TestSend organizationId={organizationId} formId={form.formId} step={step} index={index} />
    </>
  )
}

interface TestProps extends OrganizationProps {
  readonly formId: string
  readonly step: SendingStep
  readonly index: number
}

function TestSend({ organizationId, formId, step, index }: TestProps) {
  const [to, setTo] = useState('')
  const [said, setSaid] = useState('')
  const isEmail = step.type === 'send_email'
  const send = useAction(
    (client) =>
      client.call('organizationAutomations.test', { params: { organizationId }, body: { formId, step, to } }),
    ({ to: sentTo, failure }) => {
      setSaid(failure === null ? `Sent to ${sentTo}, marked [Test].` : `It was not sent: ${failure}`)
    },
  )
  return (
    <>
      <div class="add-field">
        <TextField
          label={`Send a test of step ${index + 1} to ${isEmail ? 'the address' : 'the number'}`}
          type={isEmail ? 'email' : 'tel'}
          autocomplete={isEmail ? 'email' : 'tel'}
          value={to}
          onValue={setTo}
        />
        <Button
          aria-label={`Send a test of step ${index + 1}`}
          isRunning={send.isRunning}
          onClick={() => {
            setSaid('')
            send.run(undefined)
          }}
        >
          Send a test
        </Button>
      </div>
      <p class="soft" role="status">
        {said}
      </p>
      {send.failure !== null && <FailureNote failure={send.failure} />}
    </>
  )
}
