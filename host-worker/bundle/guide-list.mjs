/**
 * The pages of `/guides`, in the order in which they are listed: the name in the address, the file, and what the page
 * is about. The guides come first, then the manuals that stand beside the code.
 */
export const guideList = [
  ['start', 'host-worker/guides/start.md', 'Get a key, read the first page, and know which way leads on.'],
  [
    'sync',
    'host-worker/guides/sync.md',
    'Keep a copy of an organization’s data that misses no change and no removal.',
  ],
  [
    'forms',
    'host-worker/guides/forms.md',
    'Put a form on any website: plain HTML, or JSON; what is answered and why.',
  ],
  ['sends', 'domain/messaging/README.md', 'Send text messages and email, and know what arrived.'],
  [
    'errors-and-limits',
    'host-worker/guides/errors-and-limits.md',
    'What each status means, what may be repeated, and how much is allowed.',
  ],
  ['deploy', 'host-worker/deploy/README.md', 'From a Cloudflare account to a service that answers.'],
  [
    'operate',
    'host-worker/README.md',
    'Configure and watch a deployment; rotate its secret; its limits and how it scales.',
  ],
  [
    'back-up-and-restore',
    'domain/whole/README.md',
    'Archives, backups and their drill, erasing and retention.',
  ],
  [
    'operator-commands',
    'host-worker/operator/README.md',
    'Organizations, keys, forms, imports and archives from a command line.',
  ],
  [
    'operator-interface',
    'domain/operators/README.md',
    'The same over HTTP, with keys and roles for operators.',
  ],
  [
    'form-client',
    'host-worker/browser/README.md',
    'One script that keeps the visitor on the page of a form.',
  ],
  [
    'after-a-submission',
    'domain/jobs/README.md',
    'Notifications and automations, and how they are tried again.',
  ],
  ['form-language', 'domain/forms/language/README.md', 'Every type, setting and rule of a form.'],
  ['analytics', 'domain/analytics/README.md', 'The figures about memberships.'],
  ['points-of-sale', 'domain/pos/README.md', 'Data of point-of-sale systems.'],
  ['odbc-gateway', 'adapters/pos-odbc/README.md', 'The program that stands beside ODBC databases.'],
  ['exit-survey', 'adapters/exit-survey-clickhouse/README.md', 'The cancellation survey in ClickHouse.'],
  ['links', 'adapters/links-dub/README.md', 'Short links at Dub.'],
  [
    'families',
    'adapters/durable-object/README.md',
    'A database of its own for an organization and all below it.',
  ],
  [
    'placement',
    'domain/placement/README.md',
    'How the service finds the database of an organization, and moves it.',
  ],
  ['library', 'host-worker/http/README.md', 'The service, in whole or in parts, in a program of your own.'],
  ['sqlite-on-node', 'adapters/node-sqlite/README.md', 'The storage for such programs in Node.'],
  ['changelog', 'CHANGELOG.md', 'What changed in each version.'],
]

/** How many of the list are guides; the others are manuals. */
export const GUIDE_COUNT = 8
