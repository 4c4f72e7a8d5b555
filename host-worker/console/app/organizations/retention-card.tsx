import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ConfirmDialog } from '../kit/input/dialog.tsx'
import { Facts } from '../kit/facts.tsx'
import { TextField } from '../kit/input/field.tsx'
import { countText } from '../kit/text.ts'
import { toast } from '../kit/toasts/toasts.ts'
import { useAction } from '../service/use-action.ts'
import { replacing } from './conflict.ts'
import { useMay } from '../session/session.ts'
import type { ShownOrganization } from './context.ts'

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
export function RetentionCard({ organization, onSaved }: RetentionProps) {
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
