import { expect, it } from 'vitest'
import { parseConfig, localFiles, type ConfigInput } from './config.ts'

const SECRET = 's'.repeat(32)
const shared = {
  kind: 'odbc_shared',
  driver: 'odbc',
  dialect: 'postgresql',
  connection: 'DSN=pos',
  currency: 'USD',
}
const second = {
  kind: 'odbc_second',
  name: 'lakeside',
  driver: 'sqlite',
  file: 'lakeside.sqlite',
  timeZone: 'America/Chicago',
  currency: 'USD',
}

function parse(config: unknown, changes: Partial<ConfigInput> = {}) {
  return parseConfig({
    text: typeof config === 'string' ? config : JSON.stringify(config),
    directory: '/etc/gateway',
    environment: { POS_GATEWAY_SECRET: SECRET },
    readText: () => ({ kind: 'unreadable', problem: 'cannot be read (EACCES)' }),
    isFile: () => true,
    isDirectory: () => true,
    odbcProblem: () => null,
    ...changes,
  })
}

function problemsOf(config: unknown, changes?: Partial<ConfigInput>): readonly string[] {
  const parsed = parse(config, changes)
  return parsed.kind === 'problems' ? parsed.problems : []
}

it('reads a whole configuration', () => {
  const files: Readonly<Record<string, string>> = {
    '/run/secret': `${SECRET}x\n`,
    '/etc/gateway/pw': 'a}b;c\n',
  }
  const config = {
    listen: { host: '0.0.0.0', port: 9000 },
    sources: [
      { ...shared, passwordFile: 'pw', connections: 8, deadlineMs: 2_000, rowsMax: 500, listRowsMax: 9_000 },
      second,
      { kind: 'odbc_second', driver: 'sqlite', directory: 'second', timeZone: 'UTC', currency: 'EUR' },
    ],
  }
  const environment = { POS_GATEWAY_SECRET_FILE: '/run/secret', POS_GATEWAY_SECRET_PREVIOUS: SECRET }
  const parsed = parse(config, {
    environment,
    readText: (path) => ({ kind: 'text', text: files[path] ?? '' }),
  })
  const defaults = { connections: 4, deadlineMs: 5_000, rowsMax: 1_000, listRowsMax: 50_000 }
  expect(parsed).toEqual({
    kind: 'config',
    config: {
      listen: { host: '0.0.0.0', port: 9000 },
      secrets: [`${SECRET}x`, SECRET],
      sources: [
        {
          kind: 'odbc_shared',
          name: null,
          place: { driver: 'odbc', connectionString: 'DSN=pos;PWD={a}}b;c}' },
          dialect: 'postgresql',
          timeZone: 'UTC',
          currency: 'USD',
          connections: 8,
          deadlineMs: 2_000,
          rowsMax: 500,
          listRowsMax: 9_000,
        },
        {
          kind: 'odbc_second',
          name: 'lakeside',
          place: { driver: 'sqlite', file: '/etc/gateway/lakeside.sqlite' },
          dialect: 'sqlite',
          timeZone: 'America/Chicago',
          currency: 'USD',
          ...defaults,
        },
        {
          kind: 'odbc_second',
          name: null,
          place: { driver: 'sqlite', directory: '/etc/gateway/second' },
          dialect: 'sqlite',
          timeZone: 'UTC',
          currency: 'EUR',
          ...defaults,
        },
      ],
    },
  })
})

it.each<[string, unknown, Partial<ConfigInput>, string]>([
  ['no JSON', '{', {}, 'The configuration is no JSON'],
  ['a list', [], {}, 'The configuration must be an object'],
  ['a list as the place to listen', { listen: [], sources: [second] }, {}, 'listen must be an object'],
  ['a source that is a list', { sources: [[]] }, {}, 'sources[0] must be an object'],
  ['no list of sources', { sources: {} }, {}, 'sources must be a list with at least one source'],
  ['no sources', {}, {}, 'sources must be a list with at least one source'],
  ['an unknown key', { sources: [second], port: 1 }, {}, 'port is not a known key here'],
  [
    'an unknown key of a source',
    { sources: [{ ...second, dsn: 'x' }] },
    {},
    'sources[0].dsn is not a known key here',
  ],
  [
    'an unknown kind',
    { sources: [{ ...second, kind: 'x' }] },
    {},
    'sources[0].kind must be one of odbc_shared, odbc_second',
  ],
  [
    'an unknown driver',
    { sources: [{ ...second, driver: 'x' }] },
    {},
    'sources[0].driver must be one of odbc, sqlite',
  ],
  [
    'no dialect',
    { sources: [{ ...shared, dialect: undefined }] },
    {},
    'sources[0].dialect must be one of postgresql, sqlite',
  ],
  ['no name', { sources: [{ ...second, name: undefined }] }, {}, 'sources[0].name is missing'],
  [
    'a name that is a path',
    { sources: [{ ...second, name: '../x' }] },
    {},
    'sources[0].name must be up to 64 letters',
  ],
  ['two of a name', { sources: [second, second] }, {}, 'more than one source of the name lakeside'],
  ['two shared ones', { sources: [shared, shared] }, {}, 'more than one source of kind odbc_shared'],
  ['no file', { sources: [second] }, { isFile: () => false }, 'sources[0].file is no file'],
  [
    'no folder',
    { sources: [{ ...second, name: undefined, file: undefined, directory: 'x' }] },
    { isDirectory: () => false },
    'sources[0].directory is no folder',
  ],
  ['no time zone', { sources: [{ ...second, timeZone: undefined }] }, {}, 'sources[0].timeZone is missing'],
  [
    'an unknown time zone',
    { sources: [{ ...second, timeZone: 'Mars' }] },
    {},
    'sources[0].timeZone is no time zone',
  ],
  [
    'a time zone of a shared source',
    { sources: [{ ...shared, timeZone: 'UTC' }] },
    {},
    'sources[0].timeZone is not a known key',
  ],
  ['no currency', { sources: [{ ...second, currency: '' }] }, {}, 'sources[0].currency must be a text'],
  [
    'an odd currency',
    { sources: [{ ...second, currency: 'usd' }] },
    {},
    'sources[0].currency must be a code',
  ],
  [
    'no connections',
    { sources: [{ ...second, connections: 0 }] },
    {},
    'sources[0].connections must be a whole number',
  ],
  [
    'a deadline in words',
    { sources: [{ ...second, deadlineMs: '5s' }] },
    {},
    'sources[0].deadlineMs must be a whole number',
  ],
  [
    'a port too high',
    { listen: { port: 70_000 }, sources: [second] },
    {},
    'listen.port must be a whole number',
  ],
  [
    'no ODBC',
    { sources: [shared] },
    { odbcProblem: () => 'Cannot find module' },
    'the package odbc is not installed',
  ],
  [
    'a password in the file',
    { sources: [{ ...shared, connection: 'DSN=pos;Pwd=x' }] },
    {},
    'sources[0].connection holds a password',
  ],
  [
    'an unreadable password',
    { sources: [{ ...shared, passwordFile: 'x' }] },
    {},
    'sources[0].passwordFile cannot be read (EACCES)',
  ],
  [
    'a password variable that is not set',
    { sources: [{ ...shared, passwordVariable: 'PW' }] },
    {},
    'sources[0].passwordVariable names PW, which is not set',
  ],
  [
    'a schema that there is not',
    { sources: [{ ...second, file: undefined, driver: 'odbc', dialect: 'postgresql', connection: 'DSN=x' }] },
    {},
    'sources[0].dialect must be sqlite',
  ],
  [
    'no secret',
    { sources: [second] },
    { environment: {} },
    'POS_GATEWAY_SECRET (or POS_GATEWAY_SECRET_FILE) is not set',
  ],
  [
    'a short secret',
    { sources: [second] },
    { environment: { POS_GATEWAY_SECRET: 'short' } },
    'POS_GATEWAY_SECRET must have at least 32 characters',
  ],
  [
    'a secret twice',
    { sources: [second] },
    {
      environment: { POS_GATEWAY_SECRET: SECRET, POS_GATEWAY_SECRET_FILE: 'x' },
      readText: () => ({ kind: 'text', text: SECRET }),
    },
    'POS_GATEWAY_SECRET and POS_GATEWAY_SECRET_FILE are both set',
  ],
  [
    'an unreadable secret',
    { sources: [second] },
    { environment: { POS_GATEWAY_SECRET_FILE: 'x' } },
    'POS_GATEWAY_SECRET_FILE cannot be read (EACCES)',
  ],
])('refuses %s and says so', (_name, config, changes, problem) => {
  expect(problemsOf(config, changes).join('\n')).toContain(problem)
})

it('says everything that is wrong at once, and no secret', () => {
  const problems = problemsOf(
    {
      sources: [
        { ...shared, currency: 1, connection: 'DSN=x;PWD=hunter2' },
        { ...second, name: 1 },
      ],
    },
    { environment: { POS_GATEWAY_SECRET: 'hunter2' } },
  )
  expect(problems.length).toBeGreaterThanOrEqual(4)
  expect(problems.join()).not.toContain('hunter2')
})

it('says why a file of this machine cannot be read', () => {
  const { readText, isFile, isDirectory } = localFiles
  const here = import.meta.filename
  expect(readText(here)).toMatchObject({ kind: 'text', text: expect.stringContaining('says why') as string })
  expect([`${here}.missing`, import.meta.dirname].map(readText)).toEqual([
    { kind: 'unreadable', problem: 'cannot be read (ENOENT: no such file or directory)' },
    { kind: 'unreadable', problem: 'cannot be read (EISDIR: illegal operation on a directory)' },
  ])
  expect([here, import.meta.dirname, `${here}.missing`].map(isFile)).toEqual([true, false, false])
  expect([here, import.meta.dirname, `${here}.missing`].map(isDirectory)).toEqual([false, true, false])
})
