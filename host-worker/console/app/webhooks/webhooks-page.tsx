import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link, Route, Switch, useLocation } from 'wouter-preact'
import { Button, CheckField, CopyButton, RowButton, TextField, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog, Dialog, DialogText, FormDialog, useDialog } from '../kit/dialog.tsx'
import {
  Badge,
  Card,
  Empty,
  Facts,
  FailureNote,
  Shown,
  TheirText,
  countText,
  momentText,
} from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { fieldsOf } from '../operations/written.ts'
import { organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { orReload, problemOf } from '../service/client.ts'
import { useAction, useCall, useChanging, useLongAction, usePages } from '../service/hooks.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'

type Webhook = ItemOf<'webhooks.list'>
type Delivery = ItemOf<'webhooks.deliveries'>

/** Whom an organization tells of events, and what each of them was told. */
export function Page({ organizationId }: OrganizationProps) {
  return (
    <Switch>
      <Route path={organizationPath(organizationId, '/webhooks/:webhookId')}>
        {({ webhookId }: { readonly webhookId: string }) => (
          <OnePage
            key={webhookId}
            organizationId={organizationId}
            webhookId={decodeURIComponent(webhookId)}
          />
        )}
      </Route>
      <Route>
        <ListPage organizationId={organizationId} />
      </Route>
    </Switch>
  )
}

function ListPage({ organizationId }: OrganizationProps) {
  const params = { organizationId }
  const webhooks = usePages('webhooks.list', { params })
  const mayChange = useMay('webhooks.update')
  const { dialog, open, close } = useDialog()
  const create = (): void => {
    open(
      <SettingsDialog
        organizationId={organizationId}
        webhook={null}
        onOvertaken={webhooks.reload}
        onClose={close}
        onDone={(made) => {
          webhooks.reload()
          open(<SecretDialog secret={'secret' in made ? made.secret : ''} onClose={close} />)
        }}
      />,
    )
  }
  const columns: readonly Column<Webhook>[] = [
    {
      title: 'Address',
      width: 'minmax(0, 2fr)',
      cell: ({ webhookId, url }) => (
        <Link href={organizationPath(organizationId, `/webhooks/${encodeURIComponent(webhookId)}`)}>
          <TheirText text={url} />
        </Link>
      ),
    },
    { title: 'State', width: '8rem', cell: (webhook) => <State webhook={webhook} /> },
    { title: 'Told of', width: 'minmax(0, 1.5fr)', cell: ({ events }) => events.join(', ') },
    { title: 'Description', cell: ({ description }) => <TheirText text={description} /> },
  ]
  return (
    <>
      {mayChange && (
        <p class="buttons list-buttons">
          <Button kind="primary" onClick={create}>
            Add a webhook
          </Button>
        </p>
      )}
      <PagedTable
        label="Webhooks"
        pages={webhooks}
        columns={columns}
        rowKey={({ webhookId }) => webhookId}
        empty={
          <Empty title="Nobody is told of anything yet.">
            A webhook is an address of another system, which is called when a form was submitted or a contact
            has changed.
          </Empty>
        }
      />
      {dialog}
    </>
  )
}

function State({ webhook: { isOn, offReason, failingSince } }: { readonly webhook: Webhook }) {
  if (offReason !== null)
    return <Badge tone="bad">{offReason === 'gone' ? 'off: answered 410' : 'off: failing'}</Badge>
  if (!isOn) return <Badge>off</Badge>
  return failingSince === null ? <Badge tone="good">on</Badge> : <Badge tone="waiting">failing</Badge>
}

/** How often the deliveries are read again while one is under way, in ms. */
const LOOK_MS = 3_000

interface OneProps extends OrganizationProps {
  readonly webhookId: string
}

function OnePage({ organizationId, webhookId }: OneProps) {
  const params = { webhookId }
  const reading = useCall('webhooks.show', { params })
  const [onlyFailed, setOnlyFailed] = useState(false)
  return (
    <>
      <nav aria-label="Webhook" class="form-nav">
        <Link href={organizationPath(organizationId, '/webhooks')}>All webhooks</Link>
      </nav>
      <Shown reading={reading} lines={6}>
        {(webhook) => (
          <WebhookCard organizationId={organizationId} webhook={webhook} onChanged={reading.reload} />
        )}
      </Shown>
      <h2>Deliveries</h2>
      <p class="filters">
        <CheckField label="Only what did not succeed" isChecked={onlyFailed} onChecked={setOnlyFailed} />
      </p>
      <Deliveries key={String(onlyFailed)} webhookId={webhookId} onlyFailed={onlyFailed} />
    </>
  )
}

interface WebhookProps extends OrganizationProps {
  readonly webhook: Webhook
  readonly onChanged: () => void
}

/** A webhook, with what can be done to it. */
function WebhookCard({ organizationId, webhook, onChanged }: WebhookProps) {
  const { webhookId, url, events, formIds, description, isOn, failingSince, previousUntil, hasSecret } =
    webhook
  const mayChange = useMay('webhooks.update')
  const { dialog, open, close } = useDialog()
  const params = { webhookId }
  const test = useAction(
    (client) => client.call('webhooks.test', { params }),
    () => {
      toast('It is called. Its answer is below in a moment.')
      setTimeout(onChanged, 1_000)
    },
  )
  const turn = useAction(
    (client) =>
      orReload(
        client.call('webhooks.update', { params, body: { isOn: !isOn }, replaces: webhook }),
        onChanged,
      ),
    () => {
      toast(isOn ? 'It is off.' : 'It is on.')
      onChanged()
    },
  )
  const change = (): void => {
    open(
      <SettingsDialog
        organizationId={organizationId}
        webhook={webhook}
        onOvertaken={onChanged}
        onClose={close}
        onDone={() => {
          toast('It is changed.')
          close()
          onChanged()
        }}
      />,
    )
  }
  const rotate = (): void => {
    open(
      <RotateDialog
        webhook={webhook}
        onOvertaken={onChanged}
        onClose={close}
        onDone={(secret) => {
          onChanged()
          open(<SecretDialog secret={secret} onClose={close} />)
        }}
      />,
    )
  }
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Address', <TheirText text={url} />],
    ['Told of', events.join(', ')],
    ...(formIds === null ? [] : ([['Only of the forms', formIds.join(', ')]] as const)),
    ...(description === '' ? [] : ([['Description', <TheirText text={description} />]] as const)),
    ...(failingSince === null ? [] : ([['Failing since', momentText(failingSince)]] as const)),
    ...(previousUntil === null
      ? []
      : ([['The secret before signs until', momentText(previousUntil)]] as const)),
    ...(hasSecret
      ? []
      : ([['Secret', 'None: it was restored. Rotate it before it is switched on.']] as const)),
    ['Identifier', <code>{webhookId}</code>],
  ]
  return (
    <Card title="Webhook">
      <p>
        <State webhook={webhook} />
      </p>
      <Facts facts={facts} />
      {[test.failure, turn.failure].map((failure) => failure !== null && <FailureNote failure={failure} />)}
      <p class="buttons">
        <Button isRunning={test.isRunning} onClick={calls(test.run, undefined)}>
          Test
        </Button>
        {mayChange && (
          <>
            <Button isRunning={turn.isRunning} onClick={calls(turn.run, undefined)}>
              {isOn ? 'Switch off' : 'Switch on'}
            </Button>
            <Button onClick={change}>Change</Button>
            <Button onClick={rotate}>Rotate the secret</Button>
            <Button
              kind="danger"
              onClick={() => {
                open(<DeleteDialog organizationId={organizationId} webhook={webhook} onClose={close} />)
              }}
            >
              Delete
            </Button>
          </>
        )}
      </p>
      {dialog}
    </Card>
  )
}

const tones = { waiting: 'waiting', delivered: 'good', failed: 'bad', dropped: 'neutral' } as const

function Deliveries({ webhookId, onlyFailed }: { readonly webhookId: string; readonly onlyFailed: boolean }) {
  const query = onlyFailed ? ({ status: 'failed' } as const) : {}
  const deliveries = usePages('webhooks.deliveries', { params: { webhookId }, query })
  useChanging(deliveries, ({ status }) => status === 'waiting', LOOK_MS)
  const { dialog, open, close } = useDialog()
  const resend = useAction(
    (client, deliveryId: string) => client.call('webhookDeliveries.resend', { params: { deliveryId } }),
    () => {
      toast('It is sent again.')
      setTimeout(deliveries.reload, 1_000)
    },
  )
  const mayResend = useMay('webhooks.resend')
  const resendSince = (): void => {
    open(
      <ResendDialog
        webhookId={webhookId}
        onClose={close}
        onDone={(count) => {
          toast(count === 1 ? '1 delivery is sent again.' : `${countText(count)} deliveries are sent again.`)
          close()
          deliveries.reload()
        }}
      />,
    )
  }
  const columns: readonly Column<Delivery>[] = [
    { title: 'When', cell: ({ at }) => momentText(at) },
    { title: 'Event', cell: ({ event }) => event },
    { title: 'State', width: '8rem', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
    { title: 'Answer', cell: ({ answers }) => answerText(answers.at(-1)) },
    { title: 'Calls', width: '5rem', align: 'end', cell: ({ attempts }) => attempts },
    {
      title: 'Do',
      width: '12rem',
      cell: (delivery) => (
        <span class="buttons">
          <RowButton
            verb="Look"
            of={delivery.deliveryId}
            onClick={() => {
              open(<DeliveryDialog delivery={delivery} onClose={close} />)
            }}
          />
          <RowButton
            verb="Resend"
            of={delivery.deliveryId}
            isRunning={resend.isRunning}
            onClick={calls(resend.run, delivery.deliveryId)}
          />
        </span>
      ),
    },
  ]
  return (
    <>
      {resend.failure !== null && <FailureNote failure={resend.failure} />}
      <p class="buttons">
        <Button onClick={deliveries.reload}>Read again</Button>
        {mayResend && <Button onClick={resendSince}>Resend all since…</Button>}
      </p>
      <PagedTable
        label="Deliveries"
        pages={deliveries}
        columns={columns}
        rowKey={({ deliveryId }) => deliveryId}
        empty={
          <Empty title="Nothing was delivered yet.">
            Answers are kept for 30 days, and never what was sent.
          </Empty>
        }
      />
      {dialog}
    </>
  )
}

interface ResendProps {
  readonly webhookId: string
  readonly onClose: () => void
  /** Told how many are sent again. */
  readonly onDone: (count: number) => void
}

/** Tells a webhook of everything again since a moment that the person chooses, by their clock. */
function ResendDialog({ webhookId, onClose, onDone }: ResendProps) {
  const [since, setSince] = useState('')
  const resend = useLongAction<number, undefined, number>(async (client, _input, { signal }) => {
    const body = { since: new Date(since).toISOString() }
    let count = 0
    // Each call sends some of them, and says where the next one goes on.
    for (let next: string | null | undefined; next !== null && !signal.aborted;) {
      const call = { params: { webhookId }, body: next === undefined ? body : { ...body, next } }
      const answer: BodyOf<'webhooks.resend'> = await client.call('webhooks.resend', call, signal)
      count += answer.resent
      next = answer.next
    }
    return count
  }, onDone)
  return (
    <FormDialog title="Send everything again?" verb="Send again" action={resend} onClose={onClose}>
      <DialogText>
        <p>
          All that happened since then is told once more, as far as it is kept (30 days): also what was
          delivered. Each has the webhook-id that it had, so that the receiver can tell that it knows it.
        </p>
      </DialogText>
      <TextField label="Since" type="datetime-local" required value={since} onValue={setSince} />
    </FormDialog>
  )
}

function answerText(answer: Delivery['answers'][number] | undefined): string {
  if (answer === undefined) return ''
  const { status, durationMs, reason } = answer
  return status === null ? (reason ?? '') : `${status} after ${durationMs} ms`
}

/** A delivery with every answer to it. */
function DeliveryDialog({
  delivery,
  onClose,
}: {
  readonly delivery: Delivery
  readonly onClose: () => void
}) {
  const { deliveryId, event, subjectId, answers } = delivery
  return (
    <Dialog title={`Delivery of ${event}`} onClose={onClose}>
      <Facts
        facts={[
          ['webhook-id', <code>{deliveryId.slice(deliveryId.indexOf(':') + 1)}</code>],
          ['About', <code>{subjectId}</code>],
        ]}
      />
      {answers.length === 0 && <p>No answer is kept.</p>}
      {answers.map((answer) => (
        <section key={answer.at}>
          <p>
            {momentText(answer.at)}: {answerText(answer)} {answer.status !== null && answer.reason}
          </p>
          {answer.text !== '' && (
            <pre class="code" tabIndex={0} aria-label="The beginning of the answer">
              {answer.text}
            </pre>
          )}
        </section>
      ))}
      <div class="buttons">
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

const [eventField] = fieldsOf('webhooks.create', 'body', ['events'])

interface SettingsDialogProps extends OrganizationProps {
  /** Null: another one is made. */
  readonly webhook: Webhook | null
  /** Called when somebody else was faster. */
  readonly onOvertaken: () => void
  readonly onClose: () => void
  readonly onDone: (made: BodyOf<'webhooks.create'> | BodyOf<'webhooks.update'>) => void
}

/** What is said of a webhook: where it is, and what it is told of. */
function SettingsDialog({ organizationId, webhook, onOvertaken, onClose, onDone }: SettingsDialogProps) {
  // A test comes whatever is chosen, so it is no choice.
  const offered = (eventField?.choices ?? []).map(({ value }) => value).filter((event) => event !== 'test')
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [forms, setForms] = useState((webhook?.formIds ?? []).join(' '))
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? offered)
  const saving = useAction((client) => {
    const formIds = forms.split(/[\s,]+/).filter((id) => id !== '')
    const body = {
      url: url.trim(),
      events: [...events],
      description,
      formIds: formIds.length === 0 ? null : formIds,
    }
    if (webhook === null) return client.call('webhooks.create', { params: { organizationId }, body })
    const call = { params: { webhookId: webhook.webhookId }, body, replaces: webhook }
    return orReload(client.call('webhooks.update', call), onOvertaken)
  }, onDone)
  const problem = (name: string) => problemOf(saving.failure, name)
  const isPlaced = ['url', 'events', 'formIds', 'description'].some((name) => problem(name) !== null)
  return (
    <FormDialog
      title={webhook === null ? 'Add a webhook' : 'Change the webhook'}
      verb={webhook === null ? 'Add' : 'Save'}
      action={isPlaced ? { ...saving, failure: null } : saving}
      onClose={onClose}
    >
      <TextField
        label="Address"
        hint="An https URL of a server on the internet, without a port."
        error={problem('url')}
        value={url}
        onValue={setUrl}
      />
      <fieldset>
        <legend>Told of</legend>
        {offered.map((event) => (
          <CheckField
            key={event}
            label={event}
            isChecked={events.includes(event)}
            onChecked={(isChecked) => {
              setEvents(isChecked ? [...events, event] : events.filter((one) => one !== event))
            }}
          />
        ))}
      </fieldset>
      {problem('events') !== null && <p class="note failed">Choose at least one event.</p>}
      <TextField
        label="Only of these forms"
        hint="Their ids, with spaces between. Empty: submissions of all forms."
        error={problem('formIds')}
        value={forms}
        onValue={setForms}
      />
      <TextField
        label="Description"
        error={problem('description')}
        value={description}
        onValue={setDescription}
      />
    </FormDialog>
  )
}

interface RotateProps extends Pick<SettingsDialogProps, 'onOvertaken'> {
  readonly webhook: Webhook
  readonly onClose: () => void
  readonly onDone: (secret: string) => void
}

function RotateDialog({ webhook, onOvertaken, onClose, onDone }: RotateProps) {
  const { webhookId } = webhook
  const rotate = useAction(
    (client) =>
      orReload(client.call('webhooks.rotate', { params: { webhookId }, replaces: webhook }), onOvertaken),
    ({ secret }) => {
      onDone(secret)
    },
  )
  return (
    <ConfirmDialog title="Rotate the secret?" verb="Rotate" kind="primary" action={rotate} onClose={onClose}>
      <p>
        It gets another secret, which is shown once. For a day both sign, so that the receiver can be changed
        meanwhile.
      </p>
    </ConfirmDialog>
  )
}

interface DeleteProps extends OrganizationProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

function DeleteDialog({ organizationId, webhook: { webhookId, url }, onClose }: DeleteProps) {
  const [, navigate] = useLocation()
  const remove = useAction(
    (client) => client.call('webhooks.delete', { params: { webhookId } }),
    () => {
      toast('The webhook is deleted.')
      navigate(organizationPath(organizationId, '/webhooks'))
    },
  )
  return (
    <ConfirmDialog title="Delete the webhook?" verb="Delete" action={remove} onClose={onClose}>
      <p>
        <TheirText text={url} /> is told of nothing more, and what still waits for it is dropped. This cannot
        be undone.
      </p>
    </ConfirmDialog>
  )
}

/** Shows a new secret this once. */
function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title="The secret" onClose={onClose}>
      <div class="dialog-text">
        <p>Copy it now: it is shown this once. The receiver needs it to know that a call is genuine.</p>
        <p class="issued-key">
          <code>{secret}</code>
        </p>
      </div>
      <div class="buttons">
        <CopyButton text={secret} what="the secret" />
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
