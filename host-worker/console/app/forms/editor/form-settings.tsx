import { formLineKeys, type FormLineKey } from '../../../../../domain/forms/definition/check.ts'
import { formSetting } from '../../../../../domain/forms/editing/meanings.ts'
import { Button, calls } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { OtherSettings, Setting, textOf, useEditor, useSetting } from './controls.tsx'
import { setPart } from './editing.ts'
import { nameForm } from './names.ts'

interface FormSettingsProps {
  /** Whether the form was never saved, so that it may get any id. */
  readonly isNew: boolean
  /** Whether a password is stored for it. */
  readonly hasPassword: boolean
}

/** The settings of the form as a whole. */
export function FormSettings({ isNew, hasPassword }: FormSettingsProps) {
  return (
    <Card title="Form">
      <div class="field-settings">
        <Setting {...about('name')} onText={nameForm} />
        {isNew && <Setting {...about('formId')} label="Identifier" />}
        <details>
          <summary>After a submission, limits and access</summary>
          <div class="field-settings">
            <Setting {...about('successTitle')} />
            <Setting {...about('successMessage')} isLong />
            <Setting
              {...about('notificationEmails')}
              hint={`${formSetting('notificationEmails').meaning} One address in a line.`}
            />
            <Setting {...about('submissionLimitPerContact')} />
            <Password hasPassword={hasPassword} />
            <Setting {...about('publicUrl')} />
          </div>
        </details>
        <OtherSettings path={[]} known={withControls} />
      </div>
    </Card>
  )
}

/** What has a control, or is nobody's to change here. What only a hosted page can do is shown when it is asked for. */
const withControls = formLineKeys.filter(
  (key) => key !== 'requireEmailVerification' && key !== 'posEnrollment',
)

function about(key: FormLineKey) {
  return { path: [key], of: formSetting(key) }
}

/** The password itself is not known here: only a new one, or that the stored one goes. */
function Password({ hasPassword }: { readonly hasPassword: boolean }) {
  const { change } = useEditor()
  const { value, set, shown } = useSetting({ ...about('password') })
  const isRemoved = value === null
  const state = isRemoved
    ? 'The stored password goes when the form is saved.'
    : hasPassword
      ? 'A password is stored, and stays unless another one is typed here.'
      : 'The form has no password.'
  return (
    <>
      <TextField
        {...shown}
        hint={`${shown.hint ?? ''} ${state}`}
        type="password"
        autocomplete="new-password"
        value={textOf(value)}
        onValue={(text) => {
          set(text === '' ? undefined : text)
        }}
      />
      {hasPassword && (
        <div>
          <Button onClick={calls(change, setPart(['password'], isRemoved ? undefined : null))}>
            {isRemoved ? 'Keep the password' : 'Remove the password'}
          </Button>
        </div>
      )}
    </>
  )
}
