import { useState } from 'preact/hooks'
import { RECIPIENT_DAILY_MAX, stepProblems } from '../../../../domain/forms/message-text.ts'
import type { Step } from '../../../../domain/resources/automations.ts'
import { Button, TextField, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog, useLeaveWarning } from '../kit/dialog.tsx'
import { Badge, Card, Empty, FailureNote, Loading, Shown, TheirText } from '../kit/page.tsx'
import { useOrganization, type OrganizationProps } from '../organizations/organization.ts'
import { failureOf, orReload } from '../service/client.ts'
import { useAction, useAllPages, useCall } from '../service/hooks.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import { StepList } from './after-steps.tsx'
import type { FormPageProps, StoredForm } from './editing.ts'

type Listed = ItemOf<'organizationAutomations.list'>
type Stored = BodyOf<'organizationAutomations.show'>

/** An automation of this form, as it is saved. */
interface Automation {
  readonly automationId: string
  readonly name: string
  readonly status: Listed['status']
  readonly steps: readonly Step[]
}

/** What follows a submission of a form: its automations, each with its steps. */
export function AfterPage({ organizationId, reading }: FormPageProps) {
  return (
    <Shown reading={reading} lines={8}>
      {(stored) => <Automations organizationId={organizationId} form={stored} />}
    </Shown>
  )
}

interface AutomationsProps extends OrganizationProps {
  readonly form: StoredForm
}

function Automations({ organizationId, form }: AutomationsProps) {
  const mayChange = useMay('organizationAutomations.save')
  const all = useAllPages('organizationAutomations.list', { params: { organizationId } })
  const [isAdding, setAdding] = useState(false)
  const own = all.items.filter(({ formId }) => formId === form.formId)
  if (all.state === 'loading' || all.hasMore) return <Loading lines={8} />
  return (
    <>
      {all.failure !== null && <FailureNote failure={all.failure} onRetry={all.reload} />}
      <Bounds />
      {own.length === 0 && !isAdding && (
        <Empty title="Nothing follows a submission yet, besides the notifications of the form.">
          An email or a text message to the visitor, a list, a tag: in the order that you choose.
        </Empty>
      )}
      {own.map((automation) => (
        <StoredAutomation
          key={automation.automationId}
          organizationId={organizationId}
          form={form}
          automation={automation}
          onChanged={all.reload}
        />
      ))}
      {isAdding && (
        <Card title="New">
          <AutomationEditor
            organizationId={organizationId}
            form={form}
            begun={newAutomation(form, all.items)}
            found={null}
            onSaved={() => {
              setAdding(false)
              all.reload()
            }}
          />
        </Card>
      )}
      {mayChange && !isAdding && (
        <p class="list-buttons">
          <Button kind={own.length === 0 ? 'primary' : 'plain'} onClick={calls(setAdding, true)}>
            {own.length === 0 ? 'Add what follows' : 'Add another'}
          </Button>
        </p>
      )}
    </>
  )
}

/** How much is sent at most, said before somebody wonders where a message is. */
function Bounds() {
  const organization = useOrganization()
  const hourly =
    organization.state === 'ready' && 'automationHourly' in organization.data
      ? ` and ${organization.data.automationHourly} an hour in all`
      : ''
  return (
    <p class="soft bounds">
      At most {RECIPIENT_DAILY_MAX} messages a day go to one address or number{hourly}, because strangers
      choose to whom. What is over waits, for three days.
    </p>
  )
}

/** An automation with an id that none has yet. */
function newAutomation(form: StoredForm, all: readonly Listed[]): Automation {
  const ids = new Set(all.map(({ automationId }) => automationId))
  let number = 1
  const id = () => `${form.formId.slice(0, 180)}-after${number === 1 ? '' : `-${number}`}`
  while (ids.has(id())) number += 1
  return { automationId: id(), name: 'Thank you', status: 'active', steps: [] }
}

interface StoredProps extends AutomationsProps {
  readonly automation: Listed
  readonly onChanged: () => void
}

const tones = { active: 'good', paused: 'waiting', draft: 'neutral' } as const

/** An automation in the list: its state, what changes it, and its steps when it is opened. */
function StoredAutomation({ organizationId, form, automation, onChanged }: StoredProps) {
  const mayChange = useMay('organizationAutomations.save')
  const [isOpen, setOpen] = useState(false)
  const { automationId, name, stepCount } = automation
  const params = { organizationId, automationId }
  const reading = useCall('organizationAutomations.show', { params })
  // The list is read by itself. What a change replaces is what is shown here, so its state is shown.
  const { status } = reading.state === 'ready' ? automationIn(reading.data) : automation
  const reload = (): void => {
    reading.reload()
    onChanged()
  }
  const wanted = status === 'active' ? 'paused' : 'active'
  const setStatus = useAction(
    (client, replaces: Stored) => {
      const call = { params, body: { status: wanted }, replaces } as const
      return orReload(client.call('organizationAutomations.setStatus', call), reload)
    },
    () => {
      toast(wanted === 'active' ? 'It follows each submission now.' : 'No submission starts it any more.')
      reload()
    },
  )
  const verb = isOpen ? 'Close' : mayChange ? 'Edit' : 'Look at'
  const actions = (
    <span class="buttons">
      <Badge tone={tones[status]}>{status}</Badge>
      {/* While it is edited, reading it again would lose what was typed. */}
      {mayChange && !isOpen && reading.state === 'ready' && (
        <Button
          aria-label={`${status === 'active' ? 'Pause' : 'Resume'} ${name}`}
          isRunning={setStatus.isRunning}
          onClick={calls(setStatus.run, reading.data)}
        >
          {status === 'active' ? 'Pause' : 'Resume'}
        </Button>
      )}
      <Button aria-label={`${verb} ${name}`} aria-expanded={isOpen} onClick={calls(setOpen, !isOpen)}>
        {verb}
      </Button>
    </span>
  )
  return (
    <Card title={name} actions={actions}>
      {setStatus.failure !== null && <FailureNote failure={setStatus.failure} />}
      <Shown reading={reading}>
        {(stored) => (
          <>
            {stored.problems.map((problem) => (
              <p key={problem} class="note failed">
                <TheirText text={problem} />
              </p>
            ))}
            {!isOpen && <p>{stepCount === 0 ? 'There are no steps yet.' : summaryOf(stored)}</p>}
            {isOpen && !mayChange && (
              <pre class="code" tabIndex={0} aria-label={`Steps of ${name}`}>
                {JSON.stringify(stored.automation.steps, null, 2)}
              </pre>
            )}
            {isOpen && mayChange && (
              <AutomationEditor
                key={stored.updatedAt}
                organizationId={organizationId}
                form={form}
                begun={automationIn(stored)}
                found={stored}
                onSaved={reload}
              />
            )}
          </>
        )}
      </Shown>
    </Card>
  )
}

/** The service shows what an import takes: an automation. */
function automationIn(stored: Stored): Automation {
  return stored.automation as unknown as Automation
}

const stepNames: Readonly<Record<Step['type'], string>> = {
  send_email: 'email',
  send_sms: 'text message',
  add_to_list: 'list',
  add_tag: 'tag',
}

function summaryOf(stored: Stored): string {
  return automationIn(stored)
    .steps.map(({ type }, index) => `${index + 1}. ${stepNames[type]}`)
    .join(', ')
}

interface EditorProps extends AutomationsProps {
  readonly begun: Automation
  /** As it is stored; null: it is a new one. */
  readonly found: Stored | null
  readonly onSaved: () => void
}

/** Edits an automation: its name and its steps. */
function AutomationEditor({ organizationId, form, begun, found, onSaved }: EditorProps) {
  const [automation, setChanged] = useState(begun)
  // What the next save replaces: what was read, or after a conflict what somebody else has made of it.
  const [replaced, setReplaced] = useState<Stored | null>(found)
  const [conflict, setConflict] = useState<Stored | null>(null)
  const isUnsaved = automation !== begun
  const allSaved = useLeaveWarning(isUnsaved)
  const problems = stepProblems(automation.steps, form.form.fields)
  const save = useAction(
    async (client) => {
      const { name, steps } = automation
      const trigger = { type: 'form_submission', formId: form.formId }
      const line = replaced === null ? { ...automation, trigger } : { ...replaced.automation, name, steps }
      try {
        return await client.call('organizationAutomations.save', {
          params: { organizationId },
          body: { automations: [line] },
          replaces: replaced,
        })
      } catch (thrown) {
        const current = failureOf(thrown).current as Stored | null | undefined
        if (current === undefined || current === null) throw thrown
        setConflict(current)
        return null
      }
    },
    (saved) => {
      if (saved === null) return
      allSaved()
      toast('Saved.')
      onSaved()
    },
  )
  const setAutomation = (changed: Automation): void => {
    setChanged(changed)
    // What was said of it before may be mended.
    save.forget()
  }
  return (
    <form
      class="field-settings"
      onSubmit={(event) => {
        event.preventDefault()
        save.run(undefined)
      }}
    >
      <TextField
        label="Name"
        hint="For you; visitors do not see it."
        required
        value={automation.name}
        onValue={(name) => {
          setAutomation({ ...automation, name })
        }}
      />
      <StepList
        organizationId={organizationId}
        form={form}
        steps={automation.steps}
        problems={problems}
        onSteps={(steps) => {
          setAutomation({ ...automation, steps })
        }}
      />
      {save.failure !== null && <FailureNote failure={save.failure} />}
      <p class="soft" role="status">
        {isUnsaved ? 'There are changes that are not saved.' : ''}
      </p>
      <p class="list-buttons">
        <Button kind="primary" type="submit" isRunning={save.isRunning}>
          {found === null ? 'Save and begin' : 'Save'}
        </Button>
      </p>
      {conflict !== null && (
        <ConfirmDialog
          title="Somebody else changed this"
          verb="Keep mine, and look at it again"
          action={{
            ...save,
            run: () => {
              setReplaced(conflict)
              setConflict(null)
            },
          }}
          onClose={calls(setConflict, null)}
        >
          <p>
            It was saved after you opened it, so yours was not saved and is still here. If you keep yours, the
            next “Save” replaces this:
          </p>
          <pre class="code" tabIndex={0} aria-label="As it is now">
            {JSON.stringify(conflict.automation, null, 2)}
          </pre>
        </ConfirmDialog>
      )}
    </form>
  )
}
