import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, describe, it } from 'vitest'
import { openTestOperator, operate, TEST_URL } from '../../../test/support/services/operator/operator.ts'
import { holdState } from '../../local/state.ts'
import { systemClock } from '../../system.ts'
import { openService, chooseService, type Sources } from './open-service.ts'
import { CommandError, UsageError } from './call-service.ts'
import { scratchFolder } from '../../../test/support/scratch/scratch-folder.ts'

const LOCAL_URL = 'http://127.0.0.1:8787'
let directory = ''
let key = ''

beforeEach(async () => {
  directory = scratchFolder()
  ;({ key } = await openTestOperator())
})

async function stateOf(url: string): Promise<string | null> {
  const surroundings = { environment: {}, directory, clock: systemClock, note: () => undefined }
  return (await openService({ kind: 'given', url, key }, surroundings)).service.stateDirectory
}

test('a given service has the local state when it is the announced one', async () => {
  const held = holdState(directory, LOCAL_URL)
  held?.announce()
  expect(await stateOf(LOCAL_URL)).toBe(directory)
  expect(await stateOf('http://127.0.0.1:8788')).toBe(null)
  expect(await stateOf(TEST_URL)).toBe(null)
  held?.release()
  expect(await stateOf(LOCAL_URL)).toBe(null)
})

test('a service elsewhere is used although the local state cannot be read', async () => {
  mkdirSync(join(directory, 'service.1'))
  expect(await stateOf(TEST_URL)).toBe(null)
  await expect(stateOf(LOCAL_URL)).rejects.toThrow('EISDIR')
})

test('a command that may not open the local state says so, without a stack trace', async () => {
  symlinkSync('service.1', join(directory, 'service.1'))
  const environment = { OPERATOR_URL: LOCAL_URL, OPERATOR_KEY: key }
  const { code, stderr } = await operate(['org', 'list'], { environment, directory })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^ELOOP: .*service\.1'\n$/)])
})

const login = { url: 'https://login.example', key: 'of login' }
const deployed = 'https://deployed.example'

interface Given {
  readonly flags?: Sources['flags']
  readonly environment?: Sources['environment']
  readonly login?: typeof login | null
  readonly deployed?: string | null
}

function choose(given: Given, without: Parameters<typeof chooseService>[1] = null) {
  const url = given.deployed === undefined ? deployed : given.deployed
  const sources: Sources = {
    flags: given.flags ?? {},
    environment: given.environment ?? {},
    login: () => given.login ?? null,
    deployed: () => (url === null ? { problem: 'There is no address.' } : { url }),
  }
  return chooseService(sources, without)
}

const flags = { url: 'https://flag.example', key: 'of flag' }
const environment = { OPERATOR_URL: 'https://env.example', OPERATOR_KEY: 'of env' }

describe('the service of a command', () => {
  it('is that of the flags, else of the environment, else of the login, else the local one', () => {
    expect(choose({ flags, environment, login })).toEqual({ kind: 'given', ...flags })
    expect(choose({ environment, login })).toEqual({
      kind: 'given',
      url: 'https://env.example',
      key: 'of env',
    })
    expect(choose({ login })).toEqual({ kind: 'given', ...login })
    expect(choose({})).toEqual({ kind: 'local', key: null })
  })

  it('takes address and key each from the first place that has it', () => {
    expect(choose({ flags: { url: flags.url }, environment })).toEqual({
      kind: 'given',
      url: flags.url,
      key: 'of env',
    })
    expect(choose({ flags: { key: flags.key }, environment })).toMatchObject({
      url: 'https://env.example',
      key: 'of flag',
    })
    expect(choose({ flags: { key: flags.key }, login })).toEqual({
      kind: 'given',
      url: login.url,
      key: 'of flag',
    })
    expect(choose({ flags: { key: flags.key } })).toEqual({ kind: 'local', key: 'of flag' })
    expect(choose({ environment: { OPERATOR_URL: '', OPERATOR_KEY: '' }, login })).toEqual({
      kind: 'given',
      ...login,
    })
  })

  it('never gets a key that was stored for another address, and none at all is an error', () => {
    for (const given of [{ flags: { url: flags.url } }, { environment: { OPERATOR_URL: flags.url } }]) {
      expect(() => choose({ ...given, login })).toThrow(CommandError)
      expect(() => choose({ ...given, login })).toThrow('There is no operator key for https://flag.example.')
    }
    expect(() => choose({ flags: { remote: true }, login })).toThrow('There is no operator key')
  })

  it('is the deployed one with --remote, for which a login there will do', () => {
    expect(choose({ flags: { remote: true }, environment })).toEqual({
      kind: 'given',
      url: deployed,
      key: 'of env',
    })
    const there = { ...login, url: deployed }
    expect(choose({ flags: { remote: true }, login: there })).toEqual({ kind: 'given', ...there })
    expect(() => choose({ flags: { remote: true }, environment, deployed: null })).toThrow(
      'There is no address.',
    )
    expect(() => choose({ flags: { ...flags, remote: true } })).toThrow(UsageError)
  })

  it('may do without a key where the root secret, or a question, takes its place', () => {
    const given = { flags: { url: flags.url }, environment: { ROOT_SECRET: 'x' } }
    expect(choose(given, 'root secret')).toEqual({ kind: 'given', url: flags.url, key: null })
    expect(() => choose(given)).toThrow(CommandError)
    expect(() => choose({ ...given, environment: {} }, 'root secret')).toThrow(CommandError)
    expect(choose({ ...given, environment: {} }, 'question')).toEqual({
      kind: 'given',
      url: flags.url,
      key: null,
    })
    expect(choose({ ...given, flags }, 'root secret')).toEqual({ kind: 'given', ...flags })
  })
})

it.each([
  ['https://a.example/', 'https://a.example'],
  ['HTTPS://A.example:443', 'https://a.example'],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
  ['https://a.example/below/', 'https://a.example/below'],
])('the address %j is written as %j', (url, written) => {
  expect(choose({ flags: { url, key: 'k' } })).toEqual({ kind: 'given', url: written, key: 'k' })
})

it.each([
  'http://a.example',
  'http://localhost.a.example:8787',
  'http://127.0.0.1.nip.io',
  'http://10.0.0.1:8787',
  'http://[::ffff:7f00:1]',
])('a key is not sent to %j, wherever the address stands', (url) => {
  const places: Given[] = [
    { flags: { url, key: 'k' } },
    { environment: { OPERATOR_URL: url, OPERATOR_KEY: 'k' } },
    { login: { url, key: 'k' } },
  ]
  for (const place of places) {
    expect(() => choose(place)).toThrow(CommandError)
    expect(() => choose(place)).toThrow(`use https://${new URL(url).host}`)
  }
  const proving = { flags: { url }, environment: { ROOT_SECRET: 'x' } }
  expect(() => choose(proving, 'root secret')).toThrow('https://')
})

it.each(['http://localhost:8787', 'http://127.0.0.2', 'http://[::1]:8787'])(
  'a key is sent to %j, which is this machine',
  (url) => {
    expect(choose({ flags: { url, key: 'k' } })).toMatchObject({ url })
  },
)

it.each([
  'a.example',
  'ftp://a.example',
  'https://',
  'https://u:p@a.example',
  'https://a.example?x',
  'https://a.example#x',
])('the address %j is refused', (url) => {
  expect(() => choose({ flags: { url, key: 'k' } })).toThrow(CommandError)
})
