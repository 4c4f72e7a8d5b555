import type { Command } from './command/command.ts'
import { audit } from './commands/audit-command.ts'
import { formCheck } from './commands/form-check-command.ts'
import { importCommand } from './commands/import-command.ts'
import { issueKey, listKeys, revokeKey, rotateKey } from './commands/key-commands.ts'
import { login, logout } from './commands/login-commands.ts'
import { createOrganization, listOrganizations, showOrganization } from './commands/organization-commands.ts'
import { outboxList, outboxRetry, sends } from './commands/outbox-commands.ts'
import { secretsStatus } from './commands/secrets-command.ts'

/** Every command, in the order of `help` and of the manual. */
export const commands: readonly Command[] = [
  createOrganization,
  showOrganization,
  listOrganizations,
  issueKey,
  listKeys,
  rotateKey,
  revokeKey,
  secretsStatus,
  importCommand,
  formCheck,
  outboxList,
  outboxRetry,
  sends,
  audit,
  login,
  logout,
]
