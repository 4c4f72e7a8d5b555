import { useLocation } from 'wouter-preact'
import { Shown } from '../../kit/states.tsx'
import { useCall } from '../../service/use-query.ts'
import { useMay } from '../../session/session.ts'
import { formPath } from '../form-path.ts'
import { Editor } from './editor.tsx'

/** Makes a new form. */
export function NewFormPage({ organizationId }: { readonly organizationId: string }) {
  const [, navigate] = useLocation()
  return (
    <Editor
      organizationId={organizationId}
      found={null}
      onSaved={({ formId }) => {
        navigate(formPath(organizationId, formId, 'edit'), { replace: true })
      }}
    />
  )
}

interface EditorPageProps {
  readonly organizationId: string
  readonly formId: string
}

/** Edits a form; who may not change it sees what it is. */
export function EditorPage({ organizationId, formId }: EditorPageProps) {
  const reading = useCall('organizationForms.show', { params: { organizationId, formId } })
  const mayChange = useMay('admin')
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
