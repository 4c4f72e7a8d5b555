import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { Card, Facts, ProgressBar } from '../kit/card.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { CheckField, SelectField, TextField } from '../kit/field.tsx'
import { download } from '../kit/saving.tsx'
import { FailureNote, Shown } from '../kit/states.tsx'
import { countText, sizeText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import { problemOf } from '../service/failure.ts'
import { repeated, useAction, useLongAction } from '../service/use-action.ts'
import { useMay } from '../session/session.ts'
import { replacing } from './conflict.ts'
import type { ExportProgress } from './export-archive.ts'
import { capabilitiesOf, useOrganization } from './organization.tsx'
import { PlaceCard } from './place-card.tsx'
import type { KnownOrganization, ShownOrganization, WrittenSettings } from './settings.ts'
import { changesOf, posKindTexts, settingLabels, writtenOf } from './settings.ts'

/** The settings of an organization, where it lives, and what can be done with it as a whole. */
export function Page() {
  const found = useOrganization()
  const mayChange = useMay('admin')
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
          {mayChange && <ExportCard organizationId={organization.organizationId} />}
          {mayChange && <DeleteCard organizationId={organization.organizationId} />}
        </div>
      )}
    </Shown>
  )
}

function SettingsCard({ organization }: { readonly organization: KnownOrganization }) {
  const { name, parentId, slug, smsNumber, phoneCountry, automationHourly, posSource } = organization
  return (
    <Card title="Settings">
      <Facts
        facts={[
          ['Name', name],
          ['Parent', parentId],
          ['Sender of email', slug],
          ['Sender of text messages', smsNumber],
          ['Country of phone numbers', phoneCountry],
          ['Messages of automations an hour', countText(automationHourly)],
          ['Capabilities', capabilitiesOf(organization).join(', ')],
          ['Point of sale', posSource === null ? null : posKindTexts[posSource.kind]],
        ]}
      />
    </Card>
  )
}

type TextName = 'name' | 'parentId' | 'slug' | 'smsNumber' | 'phoneCountry' | 'automationHourly'

const texts: readonly { readonly name: TextName; readonly hint?: string }[] = [
  { name: 'name' },
  {
    name: 'parentId',
    hint: 'The identifier of the organization that also reads its reviews. Left empty: none.',
  },
  {
    name: 'slug',
    hint: 'What stands before the @ of its address. Left empty: it sends no email.',
  },
  {
    name: 'smsNumber',
    hint: 'Its own number, such as +12125550100. Left empty: it sends by the short code alone.',
  },
  {
    name: 'phoneCountry',
    hint: 'The country of numbers that name none, in two letters such as US.',
  },
  {
    name: 'automationHourly',
    hint: 'At most so many within any hour; what is over waits.',
  },
]

const truths = ['analytics', 'retentionOfferAnalytics', 'billingEvents'] as const

const posKinds = [
  { value: '', label: 'None' },
  ...Object.entries(posKindTexts).map(([value, label]) => ({ value, label })),
]

interface FormProps {
  readonly organization: KnownOrganization
  /** Reads the organization again. */
  readonly onSaved: () => void
}

/** The settings of an organization, to be changed. */
function SettingsForm({ organization, onSaved }: FormProps) {
  const [draft, setDraft] = useState<Partial<WrittenSettings>>({})
  const before = writtenOf(organization)
  const written = { ...before, ...draft }
  const { organizationId } = organization
  const save = useAction(
    (client) =>
      replacing(organization, onSaved, (replaces) =>
        client.call('organizations.save', {
          params: { organizationId },
          body: changesOf(written, before),
          replaces,
        }),
      ),
    () => {
      toast('The settings are saved.')
      onSaved()
      setDraft({})
    },
  )
  const write = (change: Partial<WrittenSettings>): void => {
    setDraft({ ...draft, ...change })
  }
  const problems = texts.map(({ name }) => problemOf(save.failure, name))
  const posProblem = problemOf(save.failure, 'posSource')
  const isPlaced = [...problems, posProblem].some((problem) => problem !== null)
  const isChanged = Object.keys(changesOf(written, before)).length > 0
  return (
    <Card title="Settings">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged) save.run(undefined)
          else toast('Nothing was changed.')
        }}
      >
        {texts.map(({ name, ...field }, index) => (
          <TextField
            key={name}
            {...field}
            label={settingLabels[name]}
            type={name === 'automationHourly' ? 'number' : 'text'}
            error={problems[index] ?? null}
            value={written[name]}
            onValue={(value) => {
              write({ [name]: value })
            }}
          />
        ))}
        <SelectField
          label={settingLabels.posSource}
          error={written.posKind === '' ? posProblem : null}
          value={written.posKind}
          onValue={(posKind) => {
            write({ posKind })
          }}
          options={posKinds}
        />
        {written.posKind !== '' && (
          <TextField
            label="Its name at the point of sale"
            error={posProblem}
            value={written.posTenant}
            onValue={(posTenant) => {
              write({ posTenant })
            }}
          />
        )}
        {truths.map((name) => (
          <CheckField
            key={name}
            label={settingLabels[name]}
            isChecked={written[name]}
            onChecked={(value) => {
              write({ [name]: value })
            }}
          />
        ))}
        {save.failure !== null && !isPlaced && <FailureNote failure={save.failure} />}
        <div class="buttons">
          <Button kind="primary" type="submit" isRunning={save.isRunning}>
            Save
          </Button>
          {isChanged && (
            <Button
              onClick={() => {
                setDraft({})
                save.forget()
              }}
            >
              Discard
            </Button>
          )}
        </div>
      </form>
    </Card>
  )
}

type Retention = NonNullable<ShownOrganization['retention']>

const FOREVER: Retention = { submissions: null, sends: null }

const kinds = [
  {
    name: 'submissions',
    label: 'Submissions',
    hint: 'Days. What is older is removed with its runs and with messages that still wait. Contacts stay.',
  },
  { name: 'sends', label: 'Log of sends', hint: 'Days. Older entries say no longer what was sent to whom.' },
] as const

interface RetentionProps {
  readonly organization: ShownOrganization
  /** Reads the organization again. */
  readonly onSaved: () => void
}

/** For how long an organization keeps what is removed by itself. */
function RetentionCard({ organization, onSaved }: RetentionProps) {
  const kept = organization.retention ?? FOREVER
  const mayChange = useMay('admin')
  // Without its database nobody knows what it keeps.
  if (!('name' in organization)) return null
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

interface RetentionFormProps {
  readonly organization: ShownOrganization
  readonly kept: Retention
  readonly onSaved: () => void
}

function RetentionForm({ organization, kept, onSaved }: RetentionFormProps) {
  const [draft, setDraft] = useState<Partial<Record<keyof Retention, string>>>({})
  const [isAsking, setAsking] = useState(false)
  const written = (name: keyof Retention): string => draft[name] ?? String(kept[name] ?? '')
  const body = { submissions: daysOf(written('submissions')), sends: daysOf(written('sends')) }
  const isChanged = body.submissions !== kept.submissions || body.sends !== kept.sends
  const save = useAction(
    (client) =>
      replacing(organization, onSaved, (replaces) =>
        client.call('retention.set', {
          params: { organizationId: organization.organizationId },
          body,
          replaces,
        }),
      ),
    () => {
      toast('The retention is set.')
      setAsking(false)
      setDraft({})
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
        {kinds.map(({ name, label, hint }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            type="number"
            value={written(name)}
            onValue={(value) => {
              setDraft({ ...draft, [name]: value })
            }}
          />
        ))}
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
          onClose={() => {
            setAsking(false)
          }}
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

function daysOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

function daysText(days: number | null): string {
  return days === null ? 'for ever' : `for ${countText(days)} days`
}

/** Everything that is stored of an organization, as a file. */
function ExportCard({ organizationId }: { readonly organizationId: string }) {
  const [withSecrets, setWithSecrets] = useState(false)
  const archive = useLongAction<ExportProgress, undefined, Blob>(
    async (client, _input, work) => {
      // Loaded on demand: few visits export anything.
      const { exportArchive } = await import('./export-archive.ts')
      return exportArchive(client, organizationId, withSecrets, work)
    },
    (content) => {
      download(`${organizationId}.tar`, content)
      toast(`The archive is complete: ${sizeText(content.size)}.`)
    },
  )
  const { progress } = archive
  return (
    <Card title="Export">
      <p class="soft">
        One file with all that is stored of it, from which it can be restored here or elsewhere. Keep it as
        safe as the service: it holds every contact and answer.
      </p>
      <CheckField
        label="With keys and the hashes of form passwords"
        isChecked={withSecrets}
        onChecked={setWithSecrets}
      />
      {archive.isRunning && (
        <div class="progress" role="status">
          <p>
            {progress?.pass === 'writing' ? 'Writing' : 'Reading'}: {countText(progress?.rows ?? 0)} rows
          </p>
          <ProgressBar label="Export" done={null} most={0} />
        </div>
      )}
      {archive.failure !== null && <FailureNote failure={archive.failure} />}
      <div class="buttons">
        <Button
          isRunning={archive.isRunning}
          onClick={() => {
            archive.run(undefined)
          }}
        >
          Download the archive
        </Button>
        {archive.isRunning && <Button onClick={archive.stop}>Stop</Button>}
      </div>
    </Card>
  )
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
      <Button
        kind="danger"
        onClick={() => {
          setAsking(true)
        }}
      >
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
