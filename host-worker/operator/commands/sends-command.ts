import { listPlatformSends, listSends } from '../../../domain/operators/endpoints/sends.ts'
import { itemsOf } from '../client/pages.ts'
import type { Command } from '../command/command.ts'
import { ownerFlags, ownerOf } from './owner.ts'

const sendsCommand: Command = {
  words: ['sends'],
  positionals: [],
  flags: ownerFlags,
  summary: 'Print what was sent, one JSON object a line, newest first',
  details: [
    'Keys: channel (sms, mms, email), from, to, providerId, outcome (accepted, failed), error, at. --platform prints',
    'what was sent with platform keys.',
  ],
  operations: [listSends, listPlatformSends],
  run: async (context, { values }) => {
    const organizationId = ownerOf(values)
    const service = await context.service()
    const listed =
      organizationId === null
        ? itemsOf(service, listPlatformSends)
        : itemsOf(service, listSends, { params: { organizationId } })
    for await (const send of listed) context.out(JSON.stringify(send))
  },
}

export const commands = [sendsCommand]
