import { Card } from '../kit/card.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Facts } from '../kit/facts.tsx'
import { Shown } from '../kit/states.tsx'
import { countText, sizeText } from '../kit/text.ts'
import type { PartProps } from '../part.ts'
import type { BodyOf } from '../service/operations.ts'
import { useCall } from '../service/use-query.ts'
import { capabilitiesOf } from './organization.ts'

type Shown = BodyOf<'organizations.show'>
type Settings = Extract<Shown, { readonly name: string }>

/** The settings of an organization, and where it lives. */
export function Page({ organizationId }: PartProps) {
  const found = useCall('organizations.show', { params: { organizationId } })
  return (
    <Shown reading={found} lines={8}>
      {(organization) => (
        <div class="columns">
          {'name' in organization ? (
            <SettingsCard organization={organization} />
          ) : (
            <p class="note failed">
              The database of this organization did not answer, so its settings are missing here.
            </p>
          )}
          <PlaceCard organization={organization} />
        </div>
      )}
    </Shown>
  )
}

function SettingsCard({ organization }: { readonly organization: Settings }) {
  const { organizationId, name, parentId, slug, smsNumber, phoneCountry, automationHourly, posSource } =
    organization
  return (
    <Card title="Settings">
      <Facts
        facts={[
          ['Name', name],
          [
            'Identifier',
            <span class="copied" key="id">
              <code>{organizationId}</code>
              <CopyButton text={organizationId} what="the identifier" />
            </span>,
          ],
          ['Parent', parentId],
          ['Sender of email', slug],
          ['Sender of text messages', smsNumber],
          ['Country of phone numbers', phoneCountry],
          ['Messages of automations an hour', countText(automationHourly)],
          ['Capabilities', capabilitiesOf(organization).join(', ')],
          ['Point of sale', posSource?.kind ?? null],
        ]}
      />
    </Card>
  )
}

function PlaceCard({ organization }: { readonly organization: Shown }) {
  const { place, region, jurisdiction, sizeBytes, retention, archive } = organization
  return (
    <Card title="Place">
      <Facts
        facts={[
          ['Database', place === 'own' ? 'One of its own' : 'The shared one'],
          ['Region', region ?? 'Anywhere'],
          ['Jurisdiction', jurisdiction ?? 'Anywhere'],
          ['Size', sizeBytes === null ? null : sizeText(sizeBytes)],
          ['Submissions are kept', daysText(retention?.submissions)],
          ['Sends are kept', daysText(retention?.sends)],
          ['Restored from', archive ?? null],
        ]}
      />
    </Card>
  )
}

function daysText(days: number | null | undefined): string {
  return days === null || days === undefined ? 'for ever' : `for ${countText(days)} days`
}
