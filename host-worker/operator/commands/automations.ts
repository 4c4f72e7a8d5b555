import {
  AUTOMATIONS_MAX,
  saveOrganizationAutomations,
  showOrganizationAutomation,
  toldOfAutomation,
} from '../../../domain/operators/automations.ts'
import { RECIPIENT_DAILY_MAX } from '../../../domain/forms/message-text.ts'
import { text } from '../../../domain/record/command.ts'
import {
  testAutomationStep,
  TESTS_HOURLY_MAX,
  type SendingStep,
} from '../../../domain/operators/automation-test.ts'
import { isJsonObject, listOf } from '../../../domain/text/encoding.ts'
import { CommandError } from '../client/call-service.ts'
import { textOf, type Command } from '../command.ts'
import { savedAtOnce } from './forms.ts'

const saveCommand: Command = {
  words: ['automation', 'save'],
  positionals: ['FILE'],
  flags: { org: text('ID', 'required') },
  summary: 'Create or update automations from JSON: one, a list, or one a line',
  details: [
    'All of them are saved, or none. A setting that is left out is cleared; a status that is left out stays, and a new',
    'automation without one is a draft, which nothing starts. In subject, html and body, {{fieldId}} is what the visitor has',
    'answered to that field: escaped in html, empty when there is no answer, and cut when it is long. A form, field or list',
    'that is not there is refused, with the nearest. "automation show" prints what this command takes.',
    `Automations send at most ${RECIPIENT_DAILY_MAX} messages a day to one address or number, and in all as many an hour as`,
    '"org create --automation-hourly" says.',
  ],
  examples: ['thanks.json --org lakeside'],
  operations: [saveOrganizationAutomations],
  run: async (context, { values, positionals: [path = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const automations = savedAtOnce(path, 'automation', AUTOMATIONS_MAX)
    const service = await context.service()
    const { body } = await service.call(saveOrganizationAutomations, {
      params: { organizationId },
      body: { automations },
    })
    for (const saved of body.data) context.out(toldOfAutomation(saved))
  },
}

const testCommand: Command = {
  words: ['automation', 'test'],
  positionals: ['AUTOMATIONID'],
  flags: { step: text('N', 'required'), to: text('ADDRESS', 'required'), org: text('ID', 'required') },
  summary: 'Send a step of an automation to oneself, with sample answers',
  details: [
    'N counts from 1. The message goes to --to, an email address or for a text message a number, and is marked [Test]. At',
    `most ${TESTS_HOURLY_MAX} are sent an hour for an organization. The exit code is 1 when the provider did not take it.`,
  ],
  examples: ['thanks --step 1 --to grace@example.com --org lakeside'],
  operations: [testAutomationStep, showOrganizationAutomation],
  run: async (context, { values, positionals: [automationId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(showOrganizationAutomation, {
      params: { organizationId, automationId },
    })
    const steps = listOf(body.automation.steps)
    const step = steps[Number(textOf(values, 'step')) - 1]
    if (!isJsonObject(step))
      throw new CommandError(
        `${automationId} has ${steps.length} steps: --step must be one of their numbers.`,
      )
    const { formId } = body
    if (formId === null)
      throw new CommandError(`No form triggers ${automationId}, so there is nothing to try.`)
    if (step.type !== 'send_email' && step.type !== 'send_sms')
      throw new CommandError('This step sends nothing.')
    const tested = await service.call(testAutomationStep, {
      params: { organizationId },
      // The service has read it as a step.
      body: { formId, step: step as SendingStep, to: textOf(values, 'to') ?? '' },
    })
    const { to, failure } = tested.body
    if (failure !== null) throw new CommandError(`It was not sent: ${failure}`)
    context.note(`Sent to ${to}.`)
  },
}

export const commands = [saveCommand, testCommand]
