import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { compiledOf, definitionOf, fieldOf, optionsOf, when } from '../../test/support/data/forms/forms.ts'
import { generatedForm } from '../../test/support/data/forms/generated-forms.ts'
import { clientFormOf } from './language/client-form.ts'
import { parseNumber } from './language/answers.ts'
import { compileForm } from './language/compile.ts'
import { formPage, formSnippet } from './form-page.ts'
import { thorough } from '../../test/support/runner/thorough.ts'

const options = { service: 'https://api.example.com', hasClient: true }

/**
 * The standard's rules and those of accessibility; how a page is laid out is left to its author. They are put together
 * once, because that takes longer than the check of a page.
 */
class Rules extends StaticConfigLoader {
  readonly #resolved = super.getConfigFor('inline')
  override getConfigFor() {
    return this.#resolved
  }
}
const checker = new HtmlValidate(
  new Rules({
    extends: ['html-validate:standard', 'html-validate:a11y'],
    rules: { 'require-sri': 'off' },
  }),
)

async function problemsOf(page: string): Promise<readonly string[]> {
  const { results } = await checker.validateString(page)
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))
}

/** FORMS sets how many generated forms are checked. */
const PART = Number(process.env.FORMS ?? thorough(250, 100)) / 5

test.each([0, 1, 2, 3, 4])('generated forms are valid HTML (%i)', async (seed) => {
  const property = fc.asyncProperty(
    fc.tuple(generatedForm, fc.boolean(), fc.boolean()),
    async ([generated, hasPassword, hasClient]) => {
      const compilation = compileForm(definitionOf([], generated))
      if (compilation.kind === 'unsupported') throw new Error(compilation.reasons.join(' '))
      const page = formPage(clientFormOf(compilation.form, hasPassword), { ...options, hasClient })
      expect(await problemsOf(page)).toEqual([])
    },
  )
  await fc.assert(property, { seed, numRuns: PART })
})

const form = clientFormOf(
  compiledOf([
    fieldOf('mail', 'email', {
      label: 'Email',
      required: true,
      contactField: 'email',
      helpText: 'For the answer',
    }),
    fieldOf('phone', 'phone', { visibleWhen: when('mail', 'is_empty'), required: true }),
    fieldOf('size', 'single_choice', { options: optionsOf('s', 'm'), required: true }),
    fieldOf('extras', 'multiple_choice', { options: optionsOf('wax', 'dry'), required: true }),
    fieldOf('cost', 'number', { min: 0, max: 9 }),
    fieldOf('member', 'boolean', { required: true }),
  ]),
  true,
)
const snippet = formSnippet(form, options)

it('asks the browser to check what it can, and never more than the service does', () => {
  expect(snippet).toContain('name="mail" type="email" autocomplete="email" required>')
  expect(snippet).toContain('name="phone" type="tel">')
  expect(snippet).toContain('value="s" required>')
  expect(snippet).toContain('type="checkbox" value="wax">')
  expect(snippet).toContain('name="cost" type="text" inputmode="decimal" pattern="')
  expect(snippet).not.toMatch(/ (?:min|max|step)="/)
  expect(snippet).toMatch(/name="member" type="radio" value="false" required>/)
})

it('needs nothing of the page around it: no id of its own, and no encoding', () => {
  for (const printed of [snippet, formPage(form, options)])
    expect(printed).not.toMatch(/ (?:id|for|aria-\w+)="/)
  expect(snippet).toMatch(/<form method="post" action="[^"]+" accept-charset="utf-8">/)
  // A label is around its control, with the help that belongs to it.
  expect(snippet.replaceAll(/\s+/g, ' ')).toContain(
    '<label> Email <span class="help">For the answer</span> <input name="mail"',
  )
})

it('lets the browser take every number that the service takes', () => {
  const [, pattern = ''] = /pattern="([^"]+)"/.exec(snippet) ?? []
  for (const flag of ['u', 'v']) {
    const matches = (text: string) => new RegExp(`^(?:${pattern})$`, flag).test(text)
    const numbers = [
      '1',
      '-1,5',
      ' +2.50 ',
      '\u2212.5',
      '1e-3',
      '2E5',
      '\u200e١٢٫٥\u200f',
      '１２',
      '-0',
      '007',
    ]
    expect(numbers.filter((text) => !matches(text) || parseNumber(text) === null)).toEqual([])
    expect(['', 'abc', '1 000 $', '0x10', '1/2'].filter(matches)).toEqual([])
  }
})

it('has the trap, the password and the client only where they belong', () => {
  expect(snippet).toContain('<div hidden><label>Leave this empty <input name="_gotcha"')
  expect(snippet).toContain('name="_password"')
  expect(snippet).toContain(
    '<script type="module" src="https://api.example.com/form-client.js?attach"></script>',
  )
  const plain = formSnippet({ ...form, requiresPassword: false }, { ...options, hasClient: false })
  expect(plain).not.toMatch(/_password|<script/)
})
