import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { bundleConsole } from './build.mjs'

let built: Awaited<ReturnType<typeof bundleConsole>>
beforeAll(async () => {
  built = await bundleConsole()
})

it('is small, with all its parts', () => {
  const sizes = built.files.map(({ contents }) => gzipSync(contents).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024)
})

it('names the files of the first view', () => {
  const names = built.files.map(({ name }) => name)
  const { script, style, modules } = built.entry
  expect(names).toEqual(expect.arrayContaining([script, style, ...modules]))
  // What is asked for at once waits for no other file.
  const first = built.files.find(({ name }) => name === built.entry.first)
  const text = new TextDecoder().decode(first?.contents)
  expect(text).toContain('/operator/v1/me')
  expect(text).not.toMatch(/import|localStorage/)
  expect(names.every((name) => /-[0-9A-Z]{8}\.(js|css)$/.test(name))).toBe(true)
})

it('knows operations by method, path and fields, and nothing else of their declarations', () => {
  const texts = built.files.map(({ name, contents }) => [name, new TextDecoder().decode(contents)] as const)
  const text = texts.map(([, content]) => content).join('\n')
  expect(text).toContain('"outbox.retry":["POST","/operator/v1/outbox/{outboxId}/retry"]')
  expect(text).not.toMatch(/Try a waiting, held or failed entry|strictObject/)
  // What checks forms by the declarations of their language is loaded with their editor, and by a download.
  const validating = texts.filter(([, content]) => content.includes('valibot')).map(([name]) => name)
  const first = [built.entry.script, ...built.entry.modules]
  // Fields are loaded with the first page that has a form or a list of them.
  const declaring = texts.filter(([, content]) => content.includes('Requests a minute')).map(([name]) => name)
  expect(declaring).toHaveLength(1)
  expect(first).not.toEqual(expect.arrayContaining(declaring))
  expect(validating).toHaveLength(1)
  expect(first).not.toEqual(expect.arrayContaining(validating))
})
