import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CheckField, SelectField, TextField } from '../kit/input/field.tsx'
import { FailureNote } from '../kit/states.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { problemOf } from '../service/failure.ts'
import { useAction } from '../service/use-action.ts'
import { replacing } from './conflict.ts'
import type { KnownOrganization } from './context.ts'
import type { WrittenSettings } from './settings.ts'
import { changesOf, posKindTexts, settingLabels, writtenOf } from './settings.ts'

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
export function SettingsForm({ organization, onSaved }: FormProps) {
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
