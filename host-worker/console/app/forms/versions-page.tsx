import { useState } from 'preact/hooks'
import { Button, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog, Dialog } from '../kit/dialog.tsx'
import { Empty, Shown, TheirText, momentText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { orReload } from '../service/client.ts'
import type { ItemOf } from '../service/operations.ts'
import { useAction, useCall, usePages } from '../service/hooks.ts'
import { useMay } from '../session.tsx'
import type { FormPageProps, StoredForm } from './editing.ts'

type Version = ItemOf<'formVersions.list'>

/** What a person has chosen: a version, and the form of which they saw it. */
interface Chosen {
  readonly version: Version
  readonly seen: StoredForm
}

/** What a form was after each save, and how it is taken back. */
export function VersionsPage({ organizationId, formId, reading }: FormPageProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  return (
    <>
      <Shown reading={reading} lines={8}>
        {(form) => (
          // The list is read after the form, so that it has every save that restoring replaces.
          <VersionList
            key={form.updatedAt}
            organizationId={organizationId}
            formId={formId}
            onChosen={(version) => {
              setChosen({ version, seen: form })
            }}
          />
        )}
      </Shown>
      {chosen !== null && (
        <VersionDialog
          {...chosen}
          organizationId={organizationId}
          formId={formId}
          onChanged={reading.reload}
          onClose={calls(setChosen, null)}
        />
      )}
    </>
  )
}

interface VersionListProps extends Omit<FormPageProps, 'reading'> {
  readonly onChosen: (version: Version) => void
}

function VersionList({ organizationId, formId, onChosen }: VersionListProps) {
  const versions = usePages('formVersions.list', { params: { organizationId, formId } })
  const columns: readonly Column<Version>[] = [
    { title: 'Version', width: '5rem', cell: ({ version }) => version },
    { title: 'Saved', cell: ({ savedAt }) => momentText(savedAt) },
    {
      title: 'By',
      cell: ({ savedBy }) => <TheirText text={savedBy ?? 'an import, or before versions were kept'} />,
    },
    { title: 'Name', cell: ({ name }) => <TheirText text={name} /> },
    {
      title: 'Content',
      width: '8rem',
      cell: (version) => (
        <Button aria-label={`Look at version ${version.version}`} onClick={calls(onChosen, version)}>
          Look
        </Button>
      ),
    },
  ]
  return (
    <PagedTable
      label="Versions"
      pages={versions}
      columns={columns}
      rowKey={({ version }) => String(version)}
      empty={<Empty title="There are no versions yet.">Each save or import makes one; 50 are kept.</Empty>}
    />
  )
}

interface VersionDialogProps extends Chosen, Omit<FormPageProps, 'reading'> {
  /** Called when the form has become another one. */
  readonly onChanged: () => void
  readonly onClose: () => void
}

/** A version, and what takes it back. */
function VersionDialog({ organizationId, formId, version, seen, onChanged, onClose }: VersionDialogProps) {
  const mayChange = useMay('formVersions.restore')
  const params = { organizationId, formId, version: String(version.version) }
  const reading = useCall('formVersions.show', { params })
  const restore = useAction(
    (client) =>
      orReload(client.call('formVersions.restore', { params, body: {}, replaces: seen }), onChanged),
    () => {
      toast(`Version ${version.version} is saved again, as a new version.`)
      onChanged()
      onClose()
    },
  )
  const title = `Version ${version.version}`
  const content = (
    <Shown reading={reading} lines={8}>
      {({ form }) => (
        <pre class="code" tabIndex={0} aria-label="The form in this version">
          {JSON.stringify(form, null, 2)}
        </pre>
      )}
    </Shown>
  )
  if (!mayChange)
    return (
      <Dialog title={title} onClose={onClose}>
        {content}
      </Dialog>
    )
  return (
    <ConfirmDialog title={title} verb="Restore it" kind="primary" action={restore} onClose={onClose}>
      <p>
        It is saved again as a new version. The password, and whether the form is published, stay as they are.
      </p>
      {content}
    </ConfirmDialog>
  )
}
