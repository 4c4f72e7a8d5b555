import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CheckField, SelectField, TextField } from '../kit/input/field.tsx'
import { FailureNote } from '../kit/states.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { problemOf } from '../service/failure.ts'
import { useAction } from '../service/use-action.ts'
import type { KnownOrganization } from './context.ts'
import type { WrittenSettings } from './settings.ts'
import { changesOf, posKindTexts, writtenOf } from './settings.ts'

type TextName = 'name' | 'parentId' | 'slug' | 'smsNumber' | 'phoneCountry' | 'automationHourly'

const texts: readonly { readonly name: TextName; readonly label: string; readonly hint?: string }[] = [
  { name: 'name', label: 'Name' },
  {
    name: 'parentId',
    label: 'Parent',
    hint: 'The identifier of the organization that also reads its reviews. Left empty: none.',
  },
  {
    name: 'slug',
    label: 'Sender of email',
    hint: 'What stands before the @ of its address. Left empty: it sends no email.',
  },
  {
    name: 'smsNumber',
    label: 'Sender of text messages',
    hint: 'Its own number, such as +12125550100. Left empty: it sends by the short code alone.',
  },
  {
    name: 'phoneCountry',
    label: 'Country of phone numbers',
    hint: 'The country of numbers that name none, in two letters such as US.',
  },
  {
    name: 'automationHourly',
    label: 'Messages of automations an hour',
    hint: 'At most so many within any hour; what is over waits.',
  },
]

const truths = [
  { name: 'analytics', label: 'It may use the analytics' },
  { name: 'retentionOfferAnalytics', label: 'It may use the analytics of retention offers' },
  { name: 'billingEvents', label: 'Its provider reports what it bills' },
] as const

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
export function SettingsForm({ organization, onSaved }: FormProps) {
  const [draft, setDraft] = useState<Partial<WrittenSettings>>({})
  const before = writtenOf(organization)
  const written = { ...before, ...draft }
  const { organizationId } = organization
  const save = useAction(
    (client) =>
      client.call('organizations.save', { params: { organizationId }, body: changesOf(written, before) }),
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
            type={name === 'automationHourly' ? 'number' : 'text'}
            error={problems[index] ?? null}
            value={written[name]}
            onValue={(value) => {
              write({ [name]: value })
            }}
          />
        ))}
        <SelectField
          label="Point of sale"
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
        {truths.map(({ name, label }) => (
          <CheckField
            key={name}
            label={label}
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
