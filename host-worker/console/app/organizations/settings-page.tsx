import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Card, Facts, FailureNote, ProgressBar, Shown, countText } from '../kit/page.tsx'
import { OperationFields, isPlaced, shownAs, useWriting } from '../operations/operation-form.tsx'
import { changesOf, fieldsOf, partsOf, valuesOf } from '../operations/written.ts'
import { repeated } from '../service/client.ts'
import { useAction, useLongAction } from '../service/hooks.ts'
import type { Row } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import { capabilitiesOf, useOrganization, type ShownOrganization } from './organization.ts'
import { PlaceCard } from './place-card.tsx'
import { replacing, settings, type KnownOrganization } from './settings.ts'

/** The settings of an organization, where it lives, and what can be done with it as a whole. */
export function Page() {
  const found = useOrganization()
  const mayChange = useMay('organizations.save')
  const { reload } = found
  return (
    <Shown reading={found} lines={8}>
      {(organization) => (
        <div class="columns">
          {!('name' in organization) ? (
            <p class="note failed">
              The database of this organization did not answer, so its settings are missing here.
            </p>
          ) : mayChange ? (
            <SettingsForm organization={organization} onSaved={reload} />
          ) : (
            <SettingsCard organization={organization} />
          )}
          <PlaceCard organization={organization} onMoved={reload} />
          <RetentionCard organization={organization} onSaved={reload} />
          {mayChange && <DeleteCard organizationId={organization.organizationId} />}
        </div>
      )}
    </Shown>
  )
}

/** The settings of an organization, for whoever may not change them. */
function SettingsCard({ organization }: { readonly organization: KnownOrganization }) {
  const { posSource } = organization
  const plain = settings.filter(({ kind }) => kind === 'text' || kind === 'number')
  const kind = settings.flatMap(partsOf).find(({ name }) => name === 'posSource.kind')
  return (
    <Card title="Settings">
      <Facts
        facts={[
          ...plain.map((field) => [field.label, shownAs(field, (organization as Row)[field.name])] as const),
          ['Capabilities', capabilitiesOf(organization).join(', ')],
          ...(kind === undefined
            ? []
            : [[kind.label, shownAs({ ...kind, none: '' }, posSource?.kind)] as const]),
        ]}
      />
    </Card>
  )
}

interface FormProps {
  readonly organization: KnownOrganization
  /** Reads the organization again. */
  readonly onSaved: () => void
}

/** The settings of an organization, to be changed. */
function SettingsForm({ organization, onSaved }: FormProps) {
  const writing = useWriting(settings, organization)
  const body = changesOf(settings, writing.written, organization)
  const isChanged = Object.keys(body).length > 0
  const { organizationId } = organization
  const save = useAction(
    (client) =>
      replacing(organization, onSaved, (replaces) =>
        client.call('organizations.save', { params: { organizationId }, body, replaces }),
      ),
    () => {
      toast('The settings are saved.')
      onSaved()
      writing.discard()
    },
  )
  const discard = (): void => {
    writing.discard()
    save.forget()
  }
  return (
    <Card title="Settings">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged) save.run(undefined)
          else toast('Nothing was changed.')
        }}
      >
        <OperationFields writing={writing} failure={save.failure} />
        {save.failure !== null && !isPlaced(save.failure, settings) && <FailureNote failure={save.failure} />}
        <div class="buttons">
          <Button kind="primary" type="submit" isRunning={save.isRunning}>
            Save
          </Button>
          {isChanged && <Button onClick={discard}>Discard</Button>}
        </div>
      </form>
    </Card>
  )
}

const kinds = fieldsOf('retention.set', 'body')

interface RetentionProps {
  readonly organization: ShownOrganization
  /** Reads the organization again. */
  readonly onSaved: () => void
}

/** For how long an organization keeps what is removed by itself. */
function RetentionCard({ organization, onSaved }: RetentionProps) {
  const mayChange = useMay('organizations.save')
  // Without its database nobody knows what it keeps.
  if (!('name' in organization)) return null
  const kept: Row = organization.retention ?? {}
  return (
    <Card title="Retention">
      {mayChange ? (
        <RetentionForm organization={organization} kept={kept} onSaved={onSaved} />
      ) : (
        <Facts facts={kinds.map(({ name, label }) => [label, daysText(kept[name])])} />
      )}
    </Card>
  )
}

function RetentionForm({ organization, kept, onSaved }: RetentionProps & { readonly kept: Row }) {
  const writing = useWriting(kinds, kept)
  const [isAsking, setAsking] = useState(false)
  const body = valuesOf(kinds, writing.written)
  const isChanged = Object.keys(changesOf(kinds, writing.written, kept)).length > 0
  const { organizationId } = organization
  const save = useAction(
    (client) =>
      replacing(organization, onSaved, (replaces) =>
        client.call('retention.set', { params: { organizationId }, body, replaces }),
      ),
    () => {
      toast('The retention is set.')
      setAsking(false)
      writing.discard()
      onSaved()
    },
  )
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.forget()
          if (isChanged) setAsking(true)
          else toast('Nothing was changed.')
        }}
      >
        <p class="soft">
          What is older is removed for good, once a day. A removal is told to programs that keep a copy. Left
          empty: kept for ever.
        </p>
        <OperationFields writing={writing} />
        <div class="buttons">
          <Button type="submit">Set the retention</Button>
        </div>
      </form>
      {isAsking && (
        <ConfirmDialog
          title="Set the retention?"
          verb="Set"
          kind="primary"
          action={save}
          onClose={calls(setAsking, false)}
        >
          {kinds.map(({ name, label }) => (
            <p key={name}>
              {label}: kept {daysText(body[name])}
              {body[name] === null
                ? '.'
                : ', and what is older is removed within a day. This cannot be undone.'}
            </p>
          ))}
        </ConfirmDialog>
      )}
    </>
  )
}

function daysText(days: unknown): string {
  return typeof days === 'number' ? `for ${countText(days)} days` : 'for ever'
}

/** Removes an organization with everything that is stored of it. */
function DeleteCard({ organizationId }: { readonly organizationId: string }) {
  const [isAsking, setAsking] = useState(false)
  const [, goTo] = useLocation()
  const removal = useLongAction<number, undefined, number>(
    async (client, _input, { signal, report }) => {
      const call = { params: { organizationId }, body: { confirm: organizationId } }
      let removed = 0
      for (let isDone = false; !isDone;) {
        const answer = await repeated(signal, () => client.call('organizations.delete', call, signal))
        removed += Object.values(answer.rows).reduce((sum, rows) => sum + rows, 0)
        report(removed)
        ;({ isDone } = answer)
      }
      return removed
    },
    (removed) => {
      toast(`${organizationId} is deleted, with ${countText(removed)} rows.`)
      goTo('/organizations')
    },
  )
  return (
    <Card title="Delete">
      <p class="soft">
        Its keys and forms end first, then everything that is stored of it is removed. Backups and the audit
        stay.
      </p>
      <Button kind="danger" onClick={calls(setAsking, true)}>
        Delete the organization
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${organizationId}?`}
          verb="Delete for ever"
          typed={organizationId}
          action={removal}
          onClose={() => {
            removal.stop()
            setAsking(false)
          }}
        >
          <p>There is no way back but a backup. Once it has begun, the organization is closed.</p>
          {removal.isRunning && (
            <div class="progress" role="status">
              <p>Rows removed: {countText(removal.progress ?? 0)}</p>
              <ProgressBar label="Deletion" done={null} most={0} />
            </div>
          )}
        </ConfirmDialog>
      )}
    </Card>
  )
}
