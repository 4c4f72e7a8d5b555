import type { ComponentChildren } from 'preact'
import { Link, Route, Switch } from 'wouter-preact'
import { organizationPath } from '../organizations/organization.ts'
import type { PartProps } from '../part.ts'
import { useMay } from '../session/session.ts'
import { inboxPath } from '../submissions/inbox-path.ts'
import { EditorPage, NewFormPage } from './editor/editor-page.tsx'
import { FormList } from './form-list.tsx'
import { formPath } from './form-path.ts'
import { SitePage } from './site-page.tsx'

/** The forms of an organization: the list, the editor, and how each gets onto a site. */
export function Page({ organizationId }: PartProps) {
  const mayChange = useMay('admin')
  const at = (path: string) => organizationPath(organizationId, `/forms${path}`)
  return (
    <Switch>
      {mayChange && (
        <Route path={at('/new')}>
          <FormFrame organizationId={organizationId} title="New form" />
          <NewFormPage organizationId={organizationId} />
        </Route>
      )}
      <Route path={at('/:formId/edit')}>
        {({ formId }: { readonly formId: string }) => (
          <FormFrame key={formId} organizationId={organizationId} title={formId} formId={formId}>
            <EditorPage organizationId={organizationId} formId={formId} />
          </FormFrame>
        )}
      </Route>
      <Route path={at('/:formId/site')}>
        {({ formId }: { readonly formId: string }) => (
          <FormFrame key={formId} organizationId={organizationId} title={formId} formId={formId}>
            <SitePage organizationId={organizationId} formId={formId} />
          </FormFrame>
        )}
      </Route>
      <Route>
        <FormList organizationId={organizationId} />
      </Route>
    </Switch>
  )
}

interface FormFrameProps {
  readonly organizationId: string
  readonly title: string
  /** Left out: it has none yet. */
  readonly formId?: string
  readonly children?: ComponentChildren
}

/** The head of the pages of one form. */
function FormFrame({ organizationId, title, formId, children }: FormFrameProps) {
  return (
    <>
      <nav aria-label="Form" class="form-nav">
        <Link href={organizationPath(organizationId, '/forms')}>All forms</Link>
        {formId !== undefined && (
          <>
            <Link href={formPath(organizationId, formId, 'edit')}>Edit</Link>
            <Link href={formPath(organizationId, formId, 'site')}>Put it on your site</Link>
            <Link href={inboxPath(organizationId, { formId })}>Submissions</Link>
          </>
        )}
      </nav>
      <h2 class="form-title">{title}</h2>
      {children}
    </>
  )
}
