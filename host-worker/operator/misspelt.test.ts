import { beforeAll, expect, test } from 'vitest'
import { showOrganization } from '../../domain/operators/organizations.ts'
import { CommandError } from './client/call-service.ts'
import { explainMissing } from './run-operator.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import {
  openTestOperator,
  TEST_URL,
  type TestOperator,
} from '../../test/support/services/operator/operator.ts'

let at: TestOperator

beforeAll(async () => {
  at = await openTestOperator()
  for (const id of ['lakeside', 'harbor'])
    await at.service.storage.administration.saveOrganization(organization(id))
})

/** What a command says of something that is not there: which service was asked. */
const LOOKED_FOR = `It was looked for at ${TEST_URL}.`
const HELP = 'For all commands: npm run -s operator -- help'
const REGIONS = 'wnam, enam, sam, weur, eeur, apac, oc, afr, me'

/** Words that are no command, the nearest one, and what is typed after them. */
const misspelt: readonly (readonly [words: string, nearest: string, ...rest: string[]])[] = [
  ['ogr list', 'org list'],
  ['orgs list', 'org list'],
  ['org lsit', 'org list'],
  ['org ls', 'org list'],
  ['org creat', 'org create', '--id', 'x'],
  ['list org', 'org list'],
  ['keys list', 'key list', '--org', 'x'],
  ['key revok', 'key revoke', 'x'],
  ['submission list', 'submissions list'],
  ['submissions lits', 'submissions list'],
  ['form pubish', 'form publish', 'contact'],
  ['froms list', 'form list'],
  ['outbox rety', 'outbox retry', 'x'],
  ['backup verfy', 'backup verify'],
  ['audti', 'audit'],
  ['impotr contacts', 'import', 'x'],
  ['completoin bash', 'completion'],
  ['hlep', 'help'],
]

test.each(misspelt)('%s', async (words, nearest, ...rest) => {
  const stderr = `There is no command "${words}". Did you mean "${nearest}"?\n${HELP}\n`
  expect(await at.run(...words.split(' '), ...rest)).toEqual({ code: 2, stdout: '', stderr })
})

/** A command, what is typed after it, and what is said before the hint at its usage. */
const misused = [
  // Flags.
  ['org list', '--jsno', '"org list" has no flag --jsno. Did you mean --json?'],
  ['key list', '--organization x', '"key list" has no flag --organization.'],
  ['sends', '--platfrom', '"sends" has no flag --platfrom. Did you mean --platform?'],
  ['audit', '--lmit 3', '"audit" has no flag --lmit. Did you mean --limit?'],
  ['org list', '-j', '"org list" has no flag -j.'],
  ['org list', '--remtoe', '"org list" has no flag --remtoe. Did you mean --remote?'],
  ['org show', 'lakeside --org', '"org show" has no flag --org.'],
  // Values that are one of some words.
  ['org create', '--id x --name X --place onw', '--place must be shared or own. Did you mean own?'],
  ['org create', '--id x --name X --region weru', `--region must be one of ${REGIONS}. Did you mean weur?`],
  ['org create', '--id x --analytics yse', '--analytics must be yes or no. Did you mean yes?'],
  ['key issue', '--operator ada --role amdin', '--role must be support or admin. Did you mean admin?'],
  ['key issue', '--org lakeside --scope raed', '--scope must be one of read, send, all. Did you mean read?'],
  ['form list', '--org harbor --limit 1O', '--limit is a whole number of at least 1.'],
  ['completion', 'bsh', 'There is no shell "bsh". Did you mean bash? SHELL is one of bash, zsh, fish.'],
  // Arguments.
  ['org show', '', 'ID is missing.'],
  ['org show', 'lakeside harbor', '"org show" takes ID and flags, nothing more.'],
  ['sends', '', '--org or --platform is missing.'],
  ['sends', '--org lakeside --platform', '--org and --platform exclude each other.'],
] as const

test.each(misused)('%s %s', async (command, rest, sentence) => {
  const typed = `${command} ${rest}`.trimEnd().split(' ')
  const stderr = `${sentence}\nFor its usage: npm run -s operator -- help ${command}\n`
  expect(await at.run(...typed)).toEqual({ code: 2, stdout: '', stderr })
})

test.each([
  // Before a command, or instead of one.
  ['--verison', 2, `There is no flag --verison without a command. Did you mean --version?\n${HELP}`],
  ['--json org list', 2, `The command comes first, and its flags follow it.\n${HELP}`],
  ['xyzzy', 2, `There is no command "xyzzy".\n${HELP}`],
  // Organizations.
  ['org show lakesde', 1, `There is no organization lakesde. Did you mean lakeside? ${LOOKED_FOR}`],
  ['key list --org Harbour', 1, `There is no organization Harbour. Did you mean harbor? ${LOOKED_FOR}`],
  ['submissions list --org hrabor', 1, `There is no organization hrabor. Did you mean harbor? ${LOOKED_FOR}`],
  [
    'org create --id x --name X --parent lakside',
    1,
    `There is no organization lakside, so it cannot be the parent. Did you mean lakeside? ${LOOKED_FOR}`,
  ],
  ['outbox list --org nobody', 1, `There is no organization nobody. ${LOOKED_FOR}`],
])('%s', async (typed, code, answer) => {
  expect(await at.run(...typed.split(' '))).toEqual({ code, stdout: '', stderr: `${answer}\n` })
})

test('a kind that is misspelt is told the nearest, and all', async () => {
  const { code, stderr } = await at.run('import', 'contcts', 'x.csv', '--org', 'lakeside')
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^There is no kind "contcts"\. Did you mean contacts\? KIND is one of sites, products, [^\n]*\.\nFor its usage: /,
  )
})

test('so is a kind whose rows are to be deleted', async () => {
  const { code, stderr } = await at.run('rows', 'delete', 'contact', '--id', 'x', '--org', 'lakeside')
  expect([code, stderr.split(' KIND is ')[0]]).toEqual([
    2,
    'There is no kind "contact". Did you mean contacts?',
  ])
})

test('an action that is misspelt is told the nearest, and all', async () => {
  const { code, stderr } = await at.run('audit', '--action', 'key.isue')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^--action must be one of [^\n]*\. Did you mean key\.issue\?\nFor its usage: /)
})

test.each([
  'org show nobody',
  'org export --id nobody FILE',
  'org delete --id nobody --confirm nobody',
  'key list --org nobody',
  'key revoke nothing',
  'key revoke nothing --descendants',
  'key rotate nothing --overlap 1d',
  'form list --org nobody',
  'form show nothing --org lakeside',
  'form publish nothing --org lakeside',
  'submissions list --org nobody',
  'submissions show nothing --org lakeside',
  'outbox retry nothing',
  'sends --org nobody',
  'rows delete contacts --id x --org nobody',
  'contact erase --contact x --org nobody',
  'retention set --submissions 30 --org nobody',
])('"%s" says which service was asked', async (typed) => {
  const { code, stderr } = await at.run(...typed.split(' '))
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/It was looked for at https:\/\/service\.example\.\n$/),
  ])
})

test('what is not there in a local state is said to have been looked for in that state', async () => {
  const service = at.client('/srv/state of mine')
  const refused = await service
    .call(showOrganization, { params: { organizationId: 'lakesde' } })
    .catch((error: unknown) => explainMissing(error, ['lakesde'], service))
  expect(String(refused)).toBe(
    'Refusal: There is no organization lakesde. Did you mean lakeside? It was looked for in the state /srv/state of mine (STATE_DIR).',
  )
  const other = new CommandError('The disk is full.')
  expect(await explainMissing(other, ['lakesde'], service)).toBe(other)
})

const SECRET = 'hunter2-hunter2'

test.each([
  ['as a word', (key: string) => [key]],
  ['as the second word', (key: string) => ['key', key]],
  ['as an argument too many', (key: string) => ['login', key]],
  ['as an argument too many, after others', (key: string) => ['org', 'show', 'lakeside', key]],
  ['as an organization', (key: string) => ['org', 'show', key]],
  ['as a key', (key: string) => ['key', 'revoke', key]],
  ['as a kind', (key: string) => ['import', key, 'x', '--org', 'lakeside']],
  ['as a file', (key: string) => ['form', 'save', key, '--org', 'lakeside']],
  ['by a misspelt flag', (key: string) => ['org', 'list', '--kye', key]],
  ['by a misspelt flag with =', (key: string) => ['org', 'list', `--kye=${key}`]],
  ['by a flag of one letter', (key: string) => ['org', 'list', `-k${key}`]],
  ['by a flag before the command', (key: string) => [`--key=${key}`, 'org', 'list']],
  ['by a flag without a value', (key: string) => ['org', 'list', `--json=${key}`]],
  ['by a flag that takes words', (key: string) => ['key', 'issue', '--platform', '--scope', key]],
  ['as --key', (key: string) => ['org', 'show', key, '--key', key]],
])('a key given %s is not repeated', async (_where, argsFor) => {
  for (const secret of [at.key, SECRET]) {
    const { code, stdout, stderr } = await at.run(...argsFor(secret))
    expect(code).toBeGreaterThan(0)
    if (secret === at.key || !isNamed(argsFor(secret)))
      expect(stdout + stderr).not.toContain(secret.slice(12))
  }
})

/** Whether a text is given where a name belongs, which messages repeat unless it reads as a key. */
function isNamed([first, second]: readonly string[]): boolean {
  return (
    first === SECRET ||
    second === SECRET ||
    ['org show', 'key revoke', 'form save'].includes(`${first} ${second}`)
  )
}

test('what strangers wrote cannot command the terminal', async () => {
  const { stderr } = await at.run('org', 'show', 'x\u001b[2Jy\u202ez\u009b')
  expect(stderr).toBe(`${String.raw`There is no organization x\u001b[2Jy\u202ez\u009b.`} ${LOOKED_FOR}\n`)
})
