import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { announcedService, announceService } from './service-file.ts'

const URL = 'http://127.0.0.1:8787'
/** A process id that no system assigns. */
const NO_PROCESS = 2 ** 30
let directory = ''
let path = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'service-file-'))
  path = join(directory, 'service.json')
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})

test('a service is announced while it runs, to its user alone', () => {
  expect(announcedService(directory)).toBe(null)
  const end = announceService(directory, URL)
  expect(announcedService(directory)).toEqual({ url: URL, pid: process.pid })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  end()
  expect(announcedService(directory)).toBe(null)
  expect(statSync(path, { throwIfNoEntry: false })).toBe(undefined)
})

test.each([
  ['of a process that is gone', JSON.stringify({ url: URL, pid: NO_PROCESS })],
  ['that is none', '{"url":'],
  ['of another form', '{"url":"x","pid":"1"}'],
])('a file %s counts for nothing', (_what, text) => {
  writeFileSync(path, text)
  expect(announcedService(directory)).toBe(null)
})

test('a file that cannot be read is not the same as none', () => {
  mkdirSync(path)
  expect(() => announcedService(directory)).toThrow('EISDIR')
})

test('a file that was not touched for a while counts for nothing, though its number is a process again', () => {
  const end = announceService(directory, URL)
  const before = Date.now() / 1000 - 60
  utimesSync(path, before, before)
  expect(announcedService(directory)).toBe(null)
  end()
})

test('the announcement of another process stays', () => {
  const end = announceService(directory, URL)
  const other = JSON.stringify({ url: URL, pid: process.ppid })
  writeFileSync(path, other)
  end()
  expect(announcedService(directory)).toEqual({ url: URL, pid: process.ppid })
})
