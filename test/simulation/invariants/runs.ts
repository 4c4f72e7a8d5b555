import type { HandedOver } from '../service/processes/handed-over.ts'
import { isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

interface RunWatch extends Watch {
  readonly email: HandedOver
  readonly sms: HandedOver
}

interface Step {
  readonly type: string
  readonly tag?: string
  readonly listId?: string
}

/**
 * Checks runs of automations: they go on step by step, what a step promises is there when it is passed, and a run ends
 * behind its last step. Also what is counted of runs and of the members of lists.
 */
export function createRunChecks({ stored, nowMs, violated, happened, email, sms }: RunWatch): ChangeCheck {
  const firstClaimedAtMs = new Map<string, number>()
  const unsubscribedAtMs = new Map<string, number>()
  const note = ({ table, organizationId, after, columns }: HomeChange): void => {
    if (table === 'outbox' && textOf(after?.lease_token) !== '' && columns.includes('lease_token'))
      firstClaimedAtMs.set(
        textOf(after?.outbox_id),
        firstClaimedAtMs.get(textOf(after?.outbox_id)) ?? nowMs(),
      )
    if (table !== 'contacts') return
    for (const channel of ['email', 'sms'])
      if (columns.includes(`${channel}_consent`) && after?.[`${channel}_consent`] === 'unsubscribed')
        unsubscribedAtMs.set([organizationId, after.contact_id, channel].join(' '), nowMs())
  }
  const begun = ({ organizationId, after }: HomeChange): void => {
    const automation = stored.rowOf(organizationId, 'automations', after?.automation_id)
    const entry = stored.rowOf(organizationId, 'outbox', after?.run_id)
    const submission = stored.rowOf(organizationId, 'form_submissions', entry?.submission_id)
    const isRight =
      after?.status === 'running' &&
      after.current_step === 1 &&
      after.steps === automation?.steps &&
      after.step_count === stepsOf(after.steps).length &&
      after.contact_id === submission?.contact_id &&
      after.completed_at === null
    if (!isRight) violated('a run begins at the first step of its automation', JSON.stringify(after))
  }
  const wentOn = ({ organizationId, before, after }: HomeChange): void => {
    const what = `${organizationId} ${textOf(after?.run_id)}: from ${JSON.stringify(before)} to ${JSON.stringify(after)}`
    const count = Number(before?.step_count)
    const isAgain = before?.status === 'failed' && after?.status === 'running'
    if (after?.status === 'failed') happened('a run fails')
    if (before?.status !== 'running' && !isAgain) violated('a run that has ended stays as it is', what)
    if (isAgain || after?.status === 'failed') {
      const isStill =
        after.current_step === before?.current_step && (after.failure_reason === null) === isAgain
      if (!isStill) violated('a run goes on where it stopped', what)
      return
    }
    const step = Number(before?.current_step)
    const isLast = step === count
    const isNext = after?.current_step === (isLast ? count : step + 1)
    const isEnd = after?.status === 'completed' && after.completed_at !== null
    if (!isNext || isEnd !== isLast || (after.status !== 'running' && !isEnd))
      violated('a run goes on step by step, and ends behind its last one', what)
    checkStep(
      organizationId,
      step,
      { runId: textOf(after?.run_id), contactId: textOf(after?.contact_id) },
      stepsOf(after?.steps)[step - 1],
    )
  }
  const checkStep = (
    organizationId: string,
    number: number,
    { runId, contactId }: { readonly runId: string; readonly contactId: string },
    step: Step | undefined,
  ): void => {
    const contact = stored.rowOf(organizationId, 'contacts', contactId)
    const lacks = (promise: string) => {
      violated(
        'what the steps of a run promise is there',
        `${runId} of ${organizationId}, step ${number}: ${promise}`,
      )
    }
    const checkMessage = (of: HandedOver, channel: 'email' | 'sms') => {
      const isUnsubscribed = contact?.[`${channel}_consent`] === 'unsubscribed'
      const sentAtMs = of.deliveredAtMs(runId, number)
      if (sentAtMs === undefined && !isUnsubscribed) lacks(`the message by ${channel}`)
      if (sentAtMs === undefined) {
        happened('an automation passes over a contact who has unsubscribed')
        return
      }
      // A worker knows the contact as it was when the entry was claimed, and may have claimed it first.
      const sinceMs = unsubscribedAtMs.get([organizationId, contactId, channel].join(' ')) ?? Infinity
      if (isUnsubscribed && sinceMs < (firstClaimedAtMs.get(runId) ?? 0) && sentAtMs > sinceMs)
        violated(
          'nobody is written to who has unsubscribed',
          `${runId}, step ${number}, ${JSON.stringify(contact)}`,
        )
    }
    if (step === undefined) {
      lacks('a step')
      return
    }
    switch (step.type) {
      case 'add_tag': {
        const tags = (JSON.parse(textOf(contact?.tags)) as readonly string[]).filter(
          (tag) => tag === step.tag,
        )
        if (tags.length !== 1) lacks(`tags ${textOf(contact?.tags)}`)
        return
      }
      case 'add_to_list':
        if (stored.rowOf(organizationId, 'list_members', step.listId, contactId) === undefined)
          lacks('the member of the list')
        return
      case 'send_sms':
        checkMessage(sms, 'sms')
        return
      case 'send_email':
        checkMessage(email, 'email')
        return
      default:
        lacks(`a step of a known type, not ${step.type}`)
    }
  }
  const checkCounts = (organizationId: string): void => {
    const [members, runs] = [
      stored.rowsOf(organizationId, 'list_members'),
      stored.rowsOf(organizationId, 'automation_runs'),
    ]
    for (const list of stored.rowsOf(organizationId, 'contact_lists')) {
      const count = members.filter((row) => row.list_id === list.list_id).length
      if (list.contact_count !== count)
        violated('what is counted is there', `${count} members: ${JSON.stringify(list)}`)
    }
    for (const automation of stored.rowsOf(organizationId, 'automations')) {
      const of = runs.filter((row) => row.automation_id === automation.automation_id)
      const last =
        of
          .map((row) => textOf(row.started_at))
          .sort()
          .at(-1) ?? null
      if (automation.run_count !== of.length || automation.last_run_at !== last)
        violated(
          'what is counted is there',
          `${of.length} runs, the last of ${String(last)}: ${JSON.stringify(automation)}`,
        )
    }
  }
  return (changes) => {
    const home = changes.filter(isAtHome)
    for (const change of home) {
      note(change)
      if (change.table !== 'automation_runs') continue
      if (change.before === null) begun(change)
      else wentOn(change)
    }
    const counted = home.filter(({ table }) => table === 'list_members' || table === 'automation_runs')
    for (const organizationId of new Set(counted.map(({ organizationId: id }) => id)))
      checkCounts(organizationId)
  }
}

function stepsOf(steps: unknown): readonly Step[] {
  return JSON.parse(textOf(steps)) as readonly Step[]
}
