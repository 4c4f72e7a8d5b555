import { describe, expect, it } from 'vitest'
import { compileForm } from './compile.ts'
import type { FormDefinition } from '../../../ports/records.ts'
import { answerTypes, ruleOperators } from './definition.ts'
import { visibilityCases } from '../../../test/support/data/forms/visibility-cases.ts'
import { subjectTakes, visibleFields } from './visibility.ts'

function form(fields: readonly unknown[]): FormDefinition {
  return { formId: 'f', name: 'F', isPublished: true, notificationEmails: [], fields }
}

/** The visible ids in the order of the form. */
function visibleIds(
  fields: readonly unknown[],
  answers: Readonly<Record<string, unknown>>,
): readonly string[] {
  const compilation = compileForm(form(fields))
  if (compilation.kind === 'unsupported') throw new Error(compilation.reasons.join(' '))
  const visible = visibleFields(compilation.form.resolved, new Map(Object.entries(answers)))
  return compilation.form.fields.map(({ id }) => id).filter((id) => visible.has(id))
}

describe('the table of visibility cases', () => {
  it.each(visibilityCases.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => {
    expect(visibleIds(entry.fields, entry.answers)).toEqual(entry.visible)
  })

  it('does not depend on the order of the fields', () => {
    for (const { name, fields, answers, visible } of visibilityCases) {
      expect([...visibleIds(fields.toReversed(), answers)].sort(), name).toEqual([...visible].sort())
    }
  })

  it('covers every operator that a subject takes', () => {
    const covered = new Set(
      visibilityCases.flatMap(({ fields }) => {
        const types = new Map((fields as readonly Field[]).map(({ id, type }) => [id, type]))
        const rules = fields.flatMap(
          (field) => (field as { visibleWhen?: { rules: Rule[] } }).visibleWhen?.rules ?? [],
        )
        return rules.map((rule) => `${types.get(rule.field) ?? ''} ${rule.operator}`)
      }),
    )
    // Long text and email use the same branch of the engine as short text, so the table does not repeat them.
    const required = answerTypes
      .filter((type) => type !== 'long_text' && type !== 'email' && type !== 'consent')
      .flatMap((type) =>
        ruleOperators
          .filter((operator) => subjectTakes(type, operator))
          .map((operator) => `${type} ${operator}`),
      )
    expect(required.filter((entry) => !covered.has(entry))).toEqual([])
  })
})

interface Field {
  readonly id: string
  readonly type: string
}

interface Rule {
  readonly field: string
  readonly operator: string
}

it('follows a chain of any length without recursion', () => {
  const length = 5_000
  const chain = Array.from({ length }, (_, index) => ({
    id: `f${index}`,
    type: 'short_text',
    label: '',
    ...(index === 0
      ? {}
      : {
          visibleWhen: { match: 'all', rules: [{ field: `f${index - 1}`, operator: 'equals', value: 'x' }] },
        }),
  })).reverse()
  const answers = Object.fromEntries(chain.map(({ id }) => [id, 'x']))
  expect(visibleIds(chain, answers)).toHaveLength(length)
  expect(visibleIds(chain, { ...answers, f0: 'y' })).toEqual(['f0'])
})
