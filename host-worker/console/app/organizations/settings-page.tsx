import { Card } from '../kit/card.tsx'
import { Facts } from '../kit/facts.tsx'
import { Shown } from '../kit/states.tsx'
import { countText } from '../kit/text.ts'
import { useMay } from '../session/session.ts'
import type { KnownOrganization } from './context.ts'
import { useOrganization } from './context.ts'
import { DeleteCard } from './delete-card.tsx'
import { ExportCard } from './export-card.tsx'
import { capabilitiesOf } from './organization.ts'
import { PlaceCard } from './place/place-card.tsx'
import { RetentionCard } from './retention-card.tsx'
import { posKindTexts } from './settings.ts'
import { SettingsForm } from './settings-form.tsx'

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
