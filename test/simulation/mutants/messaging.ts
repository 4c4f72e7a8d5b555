import { mutantsOf } from './replacing.ts'

export const messagingMutants = mutantsOf({
  'each attempt has an idempotency key of its own': {
    email: (sender) => {
      let attempts = 0
      return {
        ...sender,
        send: (message, key, recorded) =>
          sender.send(message, `${key}-attempt-${String(++attempts)}`, recorded),
      }
    },
  },
  'an answer that was lost counts as accepted': {
    email: (sender) => ({
      ...sender,
      send: async (message, key, recorded) => {
        const result = await sender.send(message, key, recorded)
        return result.kind === 'unavailable' && !result.throttled
          ? { kind: 'accepted', providerId: null }
          : result
      },
    }),
  },
})
