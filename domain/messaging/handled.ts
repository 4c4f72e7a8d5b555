import { handled } from '../access/serve-operation.ts'
import { sendEmail, sendMessage } from './endpoints.ts'
import { serveEmail } from './serve-email.ts'
import { serveMessage } from './serve-message.ts'

// Sending, with its handlers. The first request that sends loads this module.

export const message = handled(sendMessage, serveMessage)
export const email = handled(sendEmail, serveEmail)
