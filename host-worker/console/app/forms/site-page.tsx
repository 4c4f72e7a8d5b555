import { useState } from 'preact/hooks'
import { clientFormOf } from '../../../../domain/forms/definition/compiled/client-definition.ts'
import { compileForm } from '../../../../domain/forms/definition/compiled/compile.ts'
import { formPage, formSnippet } from '../../../../domain/forms/page/form-page.ts'
import type { FormDefinition } from '../../../../ports/records.ts'
import { CopyButton } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CheckField } from '../kit/field.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import type { BodyOf } from '../service/operations.ts'
import { useCall } from '../service/use-query.ts'

interface SitePageProps {
  readonly organizationId: string
  readonly formId: string
}

/** The HTML by which a form gets onto a site, as “form html” prints it. */
export function SitePage({ organizationId, formId }: SitePageProps) {
  const reading = useCall('organizationForms.show', { params: { organizationId, formId } })
  return (
    <Shown reading={reading} lines={8}>
      {(stored) => <Ways stored={stored} />}
    </Shown>
  )
}

function Ways({ stored }: { readonly stored: BodyOf<'organizationForms.show'> }) {
  const [hasClient, setClient] = useState(true)
  // The service shows what it has stored: a definition.
  const compilation = compileForm(stored.form as unknown as FormDefinition)
  if (compilation.kind === 'unsupported')
    return (
      <Empty title="This form must be hosted, so no site can have it.">{compilation.reasons.join(' ')}</Empty>
    )
  const form = clientFormOf(compilation.form, stored.requiresPassword)
  const options = { service: window.location.origin, hasClient }
  return (
    <>
      {!stored.isPublished && <p class="note">The form is not published, so it takes no submissions yet.</p>}
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
