import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { PagedTable } from '../kit/paged-table.tsx'
import { Empty, FailureNote } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { momentText } from '../kit/text.ts'
import { toast } from '../kit/toasts.ts'
import type { PartProps } from '../part.ts'
import type { ItemOf } from '../service/operations.ts'
import { useAction } from '../service/use-action.ts'
import { usePages } from '../service/use-pages.ts'
import { useMay } from '../session/session.ts'

type Form = ItemOf<'organizationForms.list'>

/** The forms of an organization, each with whether it takes submissions, and why not. */
export function Page({ organizationId }: PartProps) {
  const forms = usePages('organizationForms.list', { params: { organizationId } })
  const mayChange = useMay('admin')
  const publish = useAction(
    (client, { formId, isPublished }: Pick<Form, 'formId' | 'isPublished'>) =>
      client.call('organizationForms.publish', {
        params: { organizationId, formId },
        body: { isPublished },
      }),
    (_answer, { isPublished }) => {
      toast(isPublished ? 'The form takes submissions now.' : 'The form takes no more submissions.')
      forms.reload()
    },
  )
  const change: Column<Form> = {
    title: 'Change',
    width: '8rem',
    cell: ({ formId, name, isPublished, supported }) =>
      (isPublished || supported) && (
        <Button
          aria-label={`${isPublished ? 'Unpublish' : 'Publish'} ${name}`}
          isRunning={publish.isRunning}
          onClick={() => {
            publish.run({ formId, isPublished: !isPublished })
          }}
        >
          {isPublished ? 'Unpublish' : 'Publish'}
        </Button>
      ),
  }
  return (
    <>
      {publish.failure !== null && <FailureNote failure={publish.failure} />}
      <PagedTable
        label="Forms"
        pages={forms}
        columns={mayChange ? [...columns, change] : columns}
        rowKey={({ formId }) => formId}
        empty={<Empty title="There are no forms yet.">“form save” of the operator commands makes one.</Empty>}
      />
    </>
  )
}

const columns: readonly Column<Form>[] = [
  {
    title: 'Form',
    width: 'minmax(0, 1.5fr)',
    cell: ({ name, formId }) => (
      <span>
        {name} <code>{formId}</code>
      </span>
    ),
  },
  {
    title: 'State',
    cell: ({ isPublished }) => (
      <Badge tone={isPublished ? 'good' : 'neutral'}>{isPublished ? 'published' : 'unpublished'}</Badge>
    ),
  },
  {
    title: 'Use',
    width: 'minmax(0, 2fr)',
    cell: ({ supported, reasons, requiresPassword }) =>
      supported
        ? requiresPassword
          ? 'with a password'
          : 'on any website'
        : `must be hosted: ${reasons.join(' ')}`,
  },
  { title: 'Changed', cell: ({ updatedAt }) => momentText(updatedAt) },
]
