import { controlsByName, setAttribute, submitButtons, valuesOf } from './controls.ts'
import { prepareForm, type PublishedForm } from './definition.ts'
import { viewField, type FieldView } from './field-view.ts'
import { summaryOf } from './summary.ts'

/** A form in the page. */
export interface FormView {
  /** Shows and hides fields, depending on the current values. */
  readonly update: () => void
  /** What is wrong with the numbers of the fields that are shown, by field id. */
  readonly numberProblems: () => ReadonlyMap<string, string>
  /** Removes the error of a field that the visitor is correcting. */
  readonly corrected: (name: string) => void
  /** Shows a message about the whole form, and removes all errors. */
  readonly say: (text: string) => void
  /** Shows errors at their fields and the others in the summary, and moves the focus to the first of them. */
  readonly complain: (text: string, errors: ReadonlyMap<string, string>) => void
  readonly setBusy: (isBusy: boolean) => void
  /** Restores the form to its original state. */
  readonly release: () => void
}

/** Connects a published form's fields with the controls of the same names. */
export function viewForm(form: HTMLFormElement, definition: PublishedForm): FormView {
  const prepared = prepareForm(definition)
  const controls = controlsByName(form)
  const views = viewFields(form, [...prepared.ids, ...controls.keys()], controls)
  const summary = summaryOf(form)
  const clear = (): void => {
    for (const view of views.values()) view.complain(null)
    summary.say('')
  }
  const isAtField = (id: string): boolean =>
    views.get(id)?.controls.some(({ type }) => type !== 'hidden') ?? false
  const values = (id: string) => valuesOf(views.get(id)?.controls ?? [])
  const visible = () =>
    prepared.visible(new Map(prepared.ids.map((id) => [id, prepared.answer(id, values(id))])))
  return {
    update: () => {
      const shown = visible()
      for (const id of prepared.ids) views.get(id)?.show(shown.has(id))
    },
    numberProblems: () =>
      new Map(
        [...visible()].flatMap((id): [string, string][] => {
          const problem = isAtField(id) ? prepared.numberProblem(id, values(id)) : null
          return problem === null ? [] : [[id, problem]]
        }),
      ),
    corrected: (name) => {
      if (views.get(name)?.hasError !== true) return
      views.get(name)?.complain(null)
      if (![...views.values()].some(({ hasError }) => hasError)) summary.say('')
    },
    say: (text) => {
      clear()
      summary.say(text)
    },
    complain: (text, errors) => {
      clear()
      for (const [id, message] of errors) if (isAtField(id)) views.get(id)?.complain(message)
      const others = [...errors].filter(([id]) => !isAtField(id))
      summary.say(
        text,
        others.map(([id, message]) => `${prepared.labels.get(id) ?? id}: ${message}`),
      )
      // The first error in the order of the page, in which the visitor reads it.
      const first = [...controls.keys()].map((name) => views.get(name)).find((view) => view?.hasError)
      if (first === undefined) summary.focus()
      else first.focus()
    },
    setBusy: (isBusy) => {
      setAttribute(form, 'aria-busy', isBusy ? 'true' : null)
      // The button is not disabled, because then a visitor who pressed it would lose the focus.
      for (const button of submitButtons(form)) setAttribute(button, 'aria-disabled', isBusy ? 'true' : null)
    },
    release: () => {
      clear()
      summary.remove()
      for (const view of views.values()) view.restore()
    },
  }
}

function viewFields(
  form: HTMLFormElement,
  names: readonly string[],
  controls: ReturnType<typeof controlsByName>,
): ReadonlyMap<string, FieldView> {
  return new Map(
    [...new Set(names)].flatMap((name): [string, FieldView][] => {
      const view = viewField(form, name, controls.get(name) ?? [])
      return view === null ? [] : [[name, view]]
    }),
  )
}
