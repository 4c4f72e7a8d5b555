import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

const write = scratchFiles()
let at: TestOperator
const run: TestOperator['run'] = (...args) => at.run(...args)

const file = (content: unknown) => write('automations.json', content)
const save = (content: unknown, org: string) => run('automation', 'save', file(content), '--org', org)

const text = { type: 'send_sms', body: 'Thanks, {{name}}' }
const thanks = (formId: string) => ({
  automationId: 'thanks',
  name: 'Thanks',
  trigger: { type: 'form_submission', formId },
  steps: [text, { type: 'add_tag', tag: 'new' }],
})

beforeAll(async () => {
  at = await openTestOperator()
  for (const [id, ...flags] of [['acme'], ['harbor', '--place', 'own']] as const) {
    expect(
      (await run('org', 'create', '--id', id, '--name', 'A Wash', '--automation-hourly', '30', ...flags))
        .code,
    ).toBe(0)
    const form = {
      formId: `form-${id}`,
      name: 'F',
      fields: [{ id: 'name', type: 'short_text', label: 'Name' }],
    }
    expect((await run('form', 'save', file(form), '--org', id)).code).toBe(0)
  }
})
afterAll(() => {
  expect(at.service.errors).toEqual([])
})

describe.each(['acme', 'harbor'])('in %s, an automation', (org) => {
  test('is saved, listed, shown with its bounds, paused and resumed; what is shown is saved without a change', async () => {
    expect(await save(thanks(`form-${org}`), org)).toEqual({
      code: 0,
      stdout: 'thanks: created, draft\n',
      stderr: '',
    })
    expect((await run('automation', 'resume', 'thanks', '--org', org)).stdout).toBe(
      'thanks: changed (status), active\n',
    )
    const shown = await run('automation', 'show', 'thanks', '--org', org)
    expect(shown.code).toBe(0)
    expect(shown.stderr).toBe(
      'Automations send at most 5 messages a day to one address or number, and 30 an hour in all. What is over waits, for three days.\n',
    )
    expect(JSON.parse(shown.stdout)).toMatchObject({ ...thanks(`form-${org}`), status: 'active' })
    expect((await save(shown.stdout, org)).stdout).toBe('thanks: unchanged, active\n')
    expect((await run('automation', 'show', 'thanks', '--org', org)).stdout).toBe(shown.stdout)
    expect((await run('automation', 'pause', 'thanks', '--org', org)).stdout).toBe(
      'thanks: changed (status), paused\n',
    )
    expect((await run('automation', 'pause', 'thanks', '--org', org)).stdout).toBe(
      'thanks: unchanged, paused\n',
    )
    expect((await run('automation', 'list', '--org', org)).stdout).toMatch(
      new RegExp(`^thanks {2}paused {2}form-${org} {2}2 {2}\\S+ {2}Thanks\n$`),
    )
  })

  test('is taken from a list or lines, whole or not at all, and a mistake is named with the nearest', async () => {
    const one = thanks(`form-${org}`)
    const lines = `${JSON.stringify({ ...one, automationId: 'a' })}\n${JSON.stringify({ ...one, automationId: 'b' })}\n`
    expect((await save(lines, org)).stdout).toBe('a: created, draft\nb: created, draft\n')
    const wrong = { ...one, automationId: 'd', steps: [{ ...text, body: '{{nam}}' }] }
    const { code, stdout, stderr } = await save([{ ...one, automationId: 'c' }, wrong], org)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(
      'Automation 2: steps[0].body has {{nam}}, and the form has no field of that id. Did you mean {{name}}?',
    )
    expect((await run('automation', 'show', 'c', '--org', org)).stderr).toContain(
      `${org} has no automation c.`,
    )
    for (const [content, problem] of [
      ['[]', /has no automation\.$/],
      ['[3]', /automation 1: this must be a JSON object\.$/],
      ['{"a":', /is not JSON/],
      [Array(101).fill(one), /At most 100 automations are saved at once\.$/],
    ] as const) {
      const refused = await save(content, org)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr.trim()).toMatch(problem)
    }
  })
})

test('a step is tried only where there is something to send', async () => {
  await save(thanks('form-acme'), 'acme')
  const tried = async (step: string, id = 'thanks') =>
    (await run('automation', 'test', id, '--step', step, '--to', '+12125550123', '--org', 'acme')).stderr
  expect(await tried('2')).toContain('This step sends nothing.')
  for (const step of ['0', '3', 'x', '1.5'])
    expect(await tried(step)).toContain('thanks has 2 steps: --step must be')
  expect(await tried('1')).toContain('Nothing was sent: acme has no number to send text messages from.')
  await save({ ...thanks('form-acme'), automationId: 'by-hand', trigger: { type: 'manual' } }, 'acme')
  expect(await tried('1', 'by-hand')).toContain('No form triggers by-hand')
})
