import { expect, test } from 'vitest'
import { concatenated, decodeUtf8, utf8 } from '../../text/encoding.ts'
import { encodings, readableFile, type FileEncoding } from './encoding.ts'

const TEXT = 'email,name\r\nmueller@example.com,"Jürgen Müller – „Straße“ €"\r\n'

/** The text in Windows-1252, whose characters beyond Latin-1 are written out here. */
const windows = Uint8Array.from(TEXT, (one) => {
  const beyond: Readonly<Record<string, number>> = { '–': 0x96, '„': 0x84, '“': 0x93, '€': 0x80 }
  return beyond[one] ?? one.codePointAt(0) ?? 0
})
const utf16 = (isLittle: boolean, mark: boolean) => {
  const text = (mark ? '\u{FEFF}' : '') + TEXT
  return Uint8Array.from({ length: text.length * 2 }, (_, index) => {
    const unit = text.charCodeAt(index >> 1)
    return (index % 2 === 0) === isLittle ? unit & 0xff : unit >> 8
  })
}

/** A source that yields so many bytes at a time. */
const cut = (bytes: Uint8Array, size: number) => ({
  async *open() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  },
})

async function read(bytes: Uint8Array, size: number, given: FileEncoding | null = null) {
  const file = await readableFile(cut(bytes, size), given)
  if ('problem' in file) return file.problem
  const parts: Uint8Array[] = []
  for await (const part of file.source.open()) parts.push(part)
  return [decodeUtf8(concatenated(parts))?.replace('\u{FEFF}', ''), file.note]
}

test.each([1, 3, 1000])('every encoding is told by itself, cut every %i bytes', async (size) => {
  expect(await read(utf8(TEXT), size)).toEqual([TEXT, null])
  expect(await read(utf8(`\u{FEFF}${TEXT}`), size)).toEqual([TEXT, null])
  const note = 'is not UTF-8 and is read as Windows-1252, which gives "Jürgen" in line 2'
  expect(await read(windows, size)).toEqual([TEXT, note])
  for (const isLittle of [true, false])
    expect(await read(utf16(isLittle, true), size)).toEqual([TEXT, 'is read as UTF-16, by its mark'])
})

test('what is said decides', async () => {
  expect(await read(windows, 7, 'windows-1252')).toEqual([TEXT, null])
  expect(await read(utf16(true, false), 7, 'utf-16')).toEqual([TEXT, null])
  expect(await read(windows, 7, 'utf-8')).toEqual([undefined, null])
  expect(await read(utf8('abc'), 7, 'utf-16')).toBe('is not in UTF-16. Say its encoding')
  expect((await read(utf8('é'), 7, 'windows-1252'))[0]).toBe('Ã©')
  for (const given of [null, ...encodings]) expect(await read(utf8(''), 7, given)).toEqual(['', null])
})

test('Windows-1252 has the characters of the standard', async () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const [text = ''] = await read(all, 100, 'windows-1252')
  expect(Array.from(text ?? '', (one) => one.codePointAt(0)).slice(0xa0)).toEqual([...all.slice(0xa0)])
  expect(text).toContain('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ')
})
