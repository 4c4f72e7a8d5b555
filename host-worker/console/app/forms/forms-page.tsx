import type { ComponentType } from 'preact'
import { useState, useEffect } from 'preact/hooks'
import { Link, Route, Switch, useLocation } from 'wouter-preact'
import { clientFormOf } from '../../../../domain/forms/language/client-form.ts'
import { compileForm } from '../../../../domain/forms/language/compile.ts'
import { formPage, formSnippet } from '../../../../domain/forms/form-page.ts'
import { Button, toast, CopyButton, CheckField } from '../kit/controls.tsx'
import { Badge, Empty, FailureNote, Shown, TheirText, countText, momentText, Card } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { organizationPath, inboxPath, type OrganizationProps } from '../organizations/organization.ts'
import { Failure, orReload } from '../service/client.ts'
import type { ItemOf } from '../service/operations.ts'
import { useAction, readListed, usePages, useCall, useQuery } from '../service/hooks.ts'
import { useMay } from '../session.tsx'
import type { FormPageProps, StoredForm } from './editing.ts'
import { Editor } from './editor.tsx'
import { AfterPage } from './after-page.tsx'
import { VersionsPage } from './versions-page.tsx'
import { useSpeech } from './preview.tsx'
import { useDialog, Dialog } from '../kit/dialog.tsx'
import type { FormDefinition } from '../../../../ports/records.ts'
import type { Bitmap2D } from 'lean-qr'
import { formPath } from '../../../../domain/forms/page-path.ts'

/** The forms of an organization: the list, the editor, and how each gets onto a site. */
export function Page({ organizationId }: OrganizationProps) {
  const mayChange = useMay('organizationForms.save')
  const maySeeAfter = useMay('organizationAutomations.list')
  const at = (path: string) => organizationPath(organizationId, `/forms${path}`)
  return (
    <Switch>
      {mayChange && (
        <Route path={at('/new')}>
          <FormNavigation organizationId={organizationId} />
          <h2 class="form-title">New form</h2>
          <NewFormPage organizationId={organizationId} />
        </Route>
      )}
      {Object.entries(pagesOfForm)
        .filter(([name]) => maySeeAfter || name !== 'after')
        .map(([name, Content]) => (
          <Route key={name} path={at(`/:formId/${name}`)}>
            {({ formId }: { readonly formId: string }) => (
              <FormPages key={formId} organizationId={organizationId} formId={formId} content={Content} />
            )}
          </Route>
        ))}
      <Route>
        <FormList organizationId={organizationId} />
      </Route>
    </Switch>
  )
}

/** The pages of one form, by the ends of their addresses. */
const pagesOfForm = {
  edit: EditorPage,
  after: AfterPage,
  versions: VersionsPage,
  site: SitePage,
} satisfies Readonly<Record<string, ComponentType<FormPageProps>>>

interface FormPagesProps extends OrganizationProps {
  readonly formId: string
  readonly content: ComponentType<FormPageProps>
}

/** A page of one form, below the form's name and whether it takes submissions. */
function FormPages({ organizationId, formId, content: Content }: FormPagesProps) {
  const reading = useCall('organizationForms.show', { params: { organizationId, formId } })
  const form = reading.state === 'ready' ? reading.data : null
  return (
    <>
      <FormNavigation organizationId={organizationId} formId={formId} />
      <div class="form-title">
        <h2>
          <TheirText text={form === null ? formId : nameOf(form)} />
        </h2>
        {form !== null && <PublishedBadge isPublished={form.isPublished} />}
      </div>
      <Content organizationId={organizationId} formId={formId} reading={reading} />
    </>
  )
}

/** A form whose name is blank is still a form. */
function nameOf({ name, formId }: { readonly name: string; readonly formId: string }): string {
  return name.trim() === '' ? formId : name
}

function PublishedBadge({ isPublished }: { readonly isPublished: boolean }) {
  return <Badge tone={isPublished ? 'good' : 'neutral'}>{isPublished ? 'published' : 'unpublished'}</Badge>
}

interface FormNavigationProps extends OrganizationProps {
  /** Left out: a new form, which has no other pages yet. */
  readonly formId?: string
}

function FormNavigation({ organizationId, formId }: FormNavigationProps) {
  const maySeeAfter = useMay('organizationAutomations.list')
  return (
    <nav aria-label="Form" class="form-nav">
      <Link href={organizationPath(organizationId, '/forms')}>All forms</Link>
      {formId !== undefined && (
        <>
          <Link href={pagePath(organizationId, formId, 'edit')}>Edit</Link>
          {maySeeAfter && <Link href={pagePath(organizationId, formId, 'after')}>After a submission</Link>}
          <Link href={pagePath(organizationId, formId, 'site')}>Put it on your site</Link>
          <Link href={pagePath(organizationId, formId, 'versions')}>Versions</Link>
          <Link href={inboxPath(organizationId, { formId })}>Submissions</Link>
        </>
      )}
    </nav>
  )
}

type Form = ItemOf<'organizationForms.list'>

/** The forms of an organization, each with whether it takes submissions, and why not. */
function FormList({ organizationId }: OrganizationProps) {
  const forms = usePages('organizationForms.list', { params: { organizationId } })
  const counts = useCounts(organizationId)
  const mayPublish = useMay('organizationForms.publish')
  const mayChange = useMay('organizationForms.save')
  const publish = useAction(
    (client, { form, isPublished }: { readonly form: Form; readonly isPublished: boolean }) => {
      const params = { organizationId, formId: form.formId }
      const publishAsListed = async () => {
        const replaces = await client.call('organizationForms.show', { params })
        if (replaces.updatedAt !== form.updatedAt) throw new Failure('refused', 'It is not as listed.', 412)
        return client.call('organizationForms.publish', { params, body: { isPublished }, replaces })
      }
      return orReload(publishAsListed(), forms.reload)
    },
    (_answer, { isPublished }) => {
      toast(isPublished ? 'The form takes submissions now.' : 'The form takes no more submissions.')
      forms.reload()
    },
  )
  const { dialog, open, close } = useDialog()
  const actions: Column<Form> = {
    title: mayPublish ? 'Change' : 'Share',
    width: '8rem',
    cell: (form) => (
      <span class="stacked">
        {mayPublish && (form.isPublished || form.supported) && (
          <Button
            aria-label={`${form.isPublished ? 'Unpublish' : 'Publish'} ${form.name}`}
            isRunning={publish.isRunning}
            onClick={() => {
              publish.run({ form, isPublished: !form.isPublished })
            }}
          >
            {form.isPublished ? 'Unpublish' : 'Publish'}
          </Button>
        )}
        {form.isPublished && form.supported && (
          <Button
            aria-label={`Share ${form.name}`}
            onClick={() => {
              open(<ShareDialog formId={form.formId} onClose={close} />)
            }}
          >
            Share
          </Button>
        )}
      </span>
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
        columns={[...columnsOf(organizationId, counts), actions]}
        rowKey={({ formId }) => formId}
        empty={<Empty title="There are no forms yet." />}
      />
      {dialog}
    </>
  )
}

function columnsOf(organizationId: string, counts: Counts): readonly Column<Form>[] {
  return [
    {
      title: 'Form',
      width: 'minmax(0, 1.5fr)',
      cell: (form) => (
        <span>
          <Link href={pagePath(organizationId, form.formId, 'edit')}>
            <TheirText text={nameOf(form)} />
          </Link>{' '}
          <code>{form.formId}</code>
        </span>
      ),
    },
    {
      title: 'State',
      cell: ({ isPublished }) => <PublishedBadge isPublished={isPublished} />,
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

/** How much came in through a form, in words. */
type Counts = (formId: string) => string

const SPAN_MS = 30 * 86_400_000

/** Counts what came in through each form of an organization in the last 30 days, as far as a few pages tell. */
function useCounts(organizationId: string): Counts {
  const [since] = useState(() => new Date(Date.now() - SPAN_MS).toISOString())
  const reading = useQuery(`counts of ${organizationId}`, (client, signal) => {
    const call = { params: { organizationId } }
    return readListed(client, 'submissions.list', call, signal, ({ submittedAt }) => submittedAt >= since)
  })
  if (reading.state !== 'ready') return () => 'Submissions'
  const { items, isWhole } = reading.data
  const byForm = Map.groupBy(
    items.filter(({ submittedAt }) => submittedAt >= since),
    ({ formId }) => formId,
  )
  return (formId) => {
    const count = byForm.get(formId)?.length ?? 0
    return `${countText(count)}${isWhole ? '' : ' or more'} ${count === 1 ? 'submission' : 'submissions'}`
  }
}

/** Makes a new form. */
function NewFormPage({ organizationId }: OrganizationProps) {
  const [, navigate] = useLocation()
  return (
    <Editor
      organizationId={organizationId}
      found={null}
      onSaved={({ formId }) => {
        navigate(pagePath(organizationId, formId, 'edit'), { replace: true })
      }}
    />
  )
}

/** Edits a form; who may not change it sees what it is. */
function EditorPage({ organizationId, reading }: FormPageProps) {
  const mayChange = useMay('organizationForms.save')
  return (
    <Shown reading={reading} lines={8}>
      {(found) =>
        mayChange ? (
          <Editor organizationId={organizationId} found={found} onSaved={reading.reload} />
        ) : (
          <pre class="code" tabIndex={0}>
            {JSON.stringify(found.form, null, 2)}
          </pre>
        )
      }
    </Shown>
  )
}

/** The address of a form's page below the console. An id alone is no address: a form may be called “new”. */
function pagePath(organizationId: string, formId: string, page: keyof typeof pagesOfForm): string {
  return organizationPath(organizationId, `/forms/${encodeURIComponent(formId)}/${page}`)
}

/** The HTML by which a form gets onto a site, as “form html” prints it. */
function SitePage({ reading }: FormPageProps) {
  return (
    <Shown reading={reading} lines={8}>
      {(stored) => <Ways stored={stored} />}
    </Shown>
  )
}

function Ways({ stored }: { readonly stored: StoredForm }) {
  const [hasClient, setClient] = useState(true)
  // The service shows what it has stored: a definition.
  const definition = stored.form as unknown as FormDefinition
  const speech = useSpeech(definition)
  const compilation = compileForm(definition)
  if (compilation.kind === 'unsupported')
    return (
      <Empty title="This form must be hosted, so no site can have it.">{compilation.reasons.join(' ')}</Empty>
    )
  const form = clientFormOf(compilation.form, stored.requiresPassword)
  if (speech === null) return null
  const options = { service: window.location.origin, hasClient, say: speech.say }
  return (
    <>
      {!stored.isPublished && <p class="note">The form is not published, so it takes no submissions yet.</p>}
      {stored.isPublished && (
        <Card title="Its own page, at this service">
          <p>
            Nothing needs to be built: give people this address.
            {stored.requiresPassword && ' The page asks for the password first.'}
          </p>
          <FormAddress formId={stored.formId} />
        </Card>
      )}
      <div class="site-options">
        <CheckField
          label="With the form client, which shows and hides conditional fields and keeps visitors on the page"
          isChecked={hasClient}
          onChecked={setClient}
        />
      </div>
      <Code title="The form, for a page that exists" what="the form" code={formSnippet(form, options)} />
      <Code title="A whole page" what="the page" code={formPage(form, options)} />
      <Card title="A form that you write yourself">
        <p>
          Any form that posts to the address below is taken, when its controls are named by the fields’
          identifiers and it has an empty <code>_gotcha</code>. This one tag, anywhere in the page, makes
          every such form follow the rules of its fields:
        </p>
        <CodeBlock
          what="the tag"
          code={`<script type="module" src="${options.service}/form-client.js?attach"></script>`}
        />
        <CodeBlock what="the address" code={`${options.service}/api/forms/${form.formId}/submissions`} />
      </Card>
    </>
  )
}

interface CodeProps {
  readonly what: string
  readonly code: string
}

function Code({ title, ...code }: CodeProps & { readonly title: string }) {
  return (
    <Card title={title} actions={<CopyButton text={code.code} what={code.what} />}>
      <pre class="code" tabIndex={0} aria-label={title}>
        {code.code}
      </pre>
    </Card>
  )
}

function CodeBlock({ what, code }: CodeProps) {
  return (
    <div class="copied">
      <code>{code}</code>
      <CopyButton text={code} what={what} />
    </div>
  )
}

interface ShareProps {
  readonly formId: string
  readonly onClose: () => void
}

/** The address of a form's own page, to be given to people. */
function ShareDialog({ formId, onClose }: ShareProps) {
  return (
    <Dialog title="Share the form" onClose={onClose}>
      <FormAddress formId={formId} />
      <Button onClick={onClose}>Close</Button>
    </Dialog>
  )
}

/** The address of a form's own page, to copy, to open and to scan. */
function FormAddress({ formId }: Pick<ShareProps, 'formId'>) {
  const address = `${window.location.origin}${formPath(formId)}`
  return (
    <>
      <div class="copied">
        <code>{address}</code>
        <CopyButton text={address} what="the address" />
        <a class="button" href={address} target="_blank" rel="noreferrer">
          Open
        </a>
      </div>
      <QrCode text={address} />
    </>
  )
}

/** The squares around a code that scanners need blank (ISO/IEC 18004, quiet zone). */
const MARGIN = 4

/** A text as a QR code, black on white in either scheme, because not every scanner reads the reverse. */
function QrCode({ text }: { readonly text: string }) {
  const [code, setCode] = useState<{ readonly size: number; readonly squares: string } | null>(null)
  useEffect(() => {
    let isWanted = true
    void import('lean-qr').then(({ generate }) => {
      const made = generate(text)
      if (isWanted) setCode({ size: made.size, squares: squaresOf(made) })
    })
    return () => {
      isWanted = false
    }
  }, [text])
  if (code === null) return null
  const side = code.size + 2 * MARGIN
  return (
    <svg
      class="qr"
      role="img"
      aria-label="QR code of the address"
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
      <path d={code.squares} fill="#000" />
    </svg>
  )
}

function squaresOf(code: Bitmap2D): string {
  const places = Array.from({ length: code.size }, (_, place) => place)
  return places.flatMap((y) => places.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`)).join('')
}
