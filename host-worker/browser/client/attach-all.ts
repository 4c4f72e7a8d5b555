import { attach, type Attached } from './attach.ts'
import { actionOf } from './controls.ts'
import type { AttachOptions } from './handle.ts'
import { addressOf, loadForm } from './load-form.ts'

/**
 * Attaches a form whose definition is fetched from the service that its `action` names. When the definition cannot be
 * fetched, the form is attached without its rules: all fields stay visible, and the service still checks the answers.
 * @throws Error when the form is not sent to a submission endpoint
 */
export async function attachForm(form: HTMLFormElement, options: AttachOptions = {}): Promise<Attached> {
  const address = addressOf(actionOf(form))
  if (address === null) throw new Error('The action of the form is not a submission endpoint.')
  const definition = await loadForm(address).catch((cause: unknown) => {
    console.warn(cause)
    return { fields: [] }
  })
  return attach(form, definition, options)
}

/** Attaches every form of the page that is sent to a submission endpoint of the service. */
export async function attachAll(service: string, options: AttachOptions = {}): Promise<readonly Attached[]> {
  const { origin } = new URL(service)
  const forms = [...document.querySelectorAll('form')].filter(
    (form) => addressOf(actionOf(form))?.service === origin,
  )
  return Promise.all(forms.map((form) => attachForm(form, options)))
}
