import { Button, calls } from '../kit/button.tsx'
import { Badge, type Tone } from '../kit/card.tsx'
import { Empty, FailureNote, Shown } from '../kit/states.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { countText, momentText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import type { PartProps } from '../part.ts'
import { useAction } from '../service/use-action.ts'
import { useChanging, usePages } from '../service/use-pages.ts'
import { useCall } from '../service/use-query.ts'
import { useMay } from '../session/session.ts'
import type { Import } from './choice.tsx'
import { NewImport } from './new-import.tsx'

/** How often the list is read again while an import is open, in ms. */
const LOOK_MS = 3_000

const stateTones: Readonly<Record<Import['state'], Tone>> = {
  receiving: 'waiting',
  writing: 'waiting',
  done: 'good',
  checked: 'good',
  refused: 'bad',
  aborted: 'neutral',
}

/** The imports of an organization: a new one, and those of the last day. */
export function Page({ organizationId }: PartProps) {
  const mayImport = useMay('admin')
  const kinds = useCall('importKinds.list')
  const imports = usePages('imports.list', { params: { organizationId } })
  const { reload } = imports
  useChanging(imports, isOpen, LOOK_MS)
  const abort = useAction(
    (client, importId: string) => client.call('imports.abort', { params: { organizationId, importId } }),
    () => {
      toast('The import is given up. Nothing of it was written.')
      reload()
    },
  )
  const change: Column<Import> = {
    title: 'Change',
    width: '6rem',
    cell: ({ importId, kind, state }) =>
      state === 'receiving' && (
        <span class="row-buttons">
          <Button aria-label={`Give up the import of ${kind}`} onClick={calls(abort.run, importId)}>
            Give up
          </Button>
        </span>
      ),
  }
  return (
    <>
      {mayImport && (
        <Shown reading={kinds} lines={3}>
          {({ data }) => <NewImport organizationId={organizationId} kinds={data} onChanged={reload} />}
        </Shown>
      )}
      {abort.failure !== null && <FailureNote failure={abort.failure} />}
      {mayImport && imports.items.some(({ state }) => state === 'receiving') && (
        <p class="soft">An import that receives nothing more goes on when its file is chosen again.</p>
      )}
      <PagedTable
        label="Imports"
        pages={imports}
        columns={mayImport ? [...columns, change] : columns}
        rowKey={({ importId }) => importId}
        empty={<Empty title="Nothing was imported within a day." />}
      />
    </>
  )
}

const columns: readonly Column<Import>[] = [
  { title: 'Rows', cell: ({ kind, dryRun }) => (dryRun ? `${kind}, check only` : kind) },
  { title: 'State', cell: ({ state }) => <Badge tone={stateTones[state]}>{state}</Badge> },
  { title: 'Read', width: '5rem', align: 'end', cell: ({ readRows }) => countText(readRows) },
  { title: 'Changed', width: '5rem', align: 'end', cell: ({ changedRows }) => countText(changedRows) },
  { title: 'Problems', width: '5rem', align: 'end', cell: ({ problems }) => countText(problems.length) },
  { title: 'Opened', cell: ({ openedAt }) => momentText(openedAt) },
]

function isOpen({ state }: Import): boolean {
  return state === 'receiving' || state === 'writing'
}
