import { Link } from 'wouter-preact'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { PagedTable } from '../kit/table/paged-table.tsx'
import { Empty, FailureNote } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { momentText } from '../kit/text.ts'
import { TheirText } from '../kit/their-text.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { organizationPath } from '../organizations/organization.ts'
import type { PartProps } from '../part.ts'
import { Failure, failureOf } from '../service/failure.ts'
import type { ItemOf } from '../service/operations.ts'
import { useAction } from '../service/use-action.ts'
import { usePages } from '../service/use-pages.ts'
import { useMay } from '../session/session.ts'
import { inboxPath } from '../submissions/inbox-path.ts'
import { formPath } from './form-path.ts'
import type { Counts } from './use-counts.ts'
import { useCounts } from './use-counts.ts'

type Form = ItemOf<'organizationForms.list'>

const CHANGED =
  'Somebody else changed this form meanwhile, so nothing was changed. The list shows it as it is now: look at it, then try again.'

/** The forms of an organization, each with whether it takes submissions, and why not. */
export function FormList({ organizationId }: PartProps) {
  const forms = usePages('organizationForms.list', { params: { organizationId } })
  const counts = useCounts(organizationId)
  const mayChange = useMay('admin')
  const publish = useAction(
    async (client, { form, isPublished }: { readonly form: Form; readonly isPublished: boolean }) => {
      const params = { organizationId, formId: form.formId }
      try {
        const replaces = await client.call('organizationForms.show', { params })
        if (replaces.updatedAt !== form.updatedAt) throw new Failure('refused', CHANGED, 412)
        return await client.call('organizationForms.publish', { params, body: { isPublished }, replaces })
      } catch (thrown) {
        const failure = failureOf(thrown)
        if (failure.status !== 412) throw failure
        forms.reload()
        throw new Failure('refused', CHANGED, 412)
      }
    },
    (_answer, { isPublished }) => {
      toast(isPublished ? 'The form takes submissions now.' : 'The form takes no more submissions.')
      forms.reload()
    },
  )
  const change: Column<Form> = {
    title: 'Change',
    width: '8rem',
    cell: (form) =>
      (form.isPublished || form.supported) && (
        <Button
          aria-label={`${form.isPublished ? 'Unpublish' : 'Publish'} ${form.name}`}
          isRunning={publish.isRunning}
          onClick={() => {
            publish.run({ form, isPublished: !form.isPublished })
          }}
        >
          {form.isPublished ? 'Unpublish' : 'Publish'}
        </Button>
      ),
  }
  return (
    <>
      {mayChange && (
        <p class="list-buttons">
          <Link class="button primary" href={organizationPath(organizationId, '/forms/new')}>
            New form
          </Link>
        </p>
      )}
      {publish.failure !== null && <FailureNote failure={publish.failure} />}
      <PagedTable
        label="Forms"
        pages={forms}
        columns={[...columnsOf(organizationId, counts), ...(mayChange ? [change] : [])]}
        rowKey={({ formId }) => formId}
        empty={<Empty title="There are no forms yet." />}
      />
    </>
  )
}

function columnsOf(organizationId: string, counts: Counts): readonly Column<Form>[] {
  return [
    {
      title: 'Form',
      width: 'minmax(0, 1.5fr)',
      cell: ({ name, formId }) => (
        <span>
          <Link href={formPath(organizationId, formId, 'edit')}>
            {/* A form whose name is blank is still a form that can be opened. */}
            <TheirText text={name.trim() === '' ? formId : name} />
          </Link>{' '}
          <code>{formId}</code>
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
    {
      title: 'Last 30 days',
      cell: ({ formId }) => <Link href={inboxPath(organizationId, { formId })}>{counts(formId)}</Link>,
    },
    { title: 'Changed', cell: ({ updatedAt }) => momentText(updatedAt) },
  ]
}
