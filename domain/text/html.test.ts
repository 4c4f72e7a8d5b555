import { expect, it } from 'vitest'
import { html, trusted } from './html.ts'

it('escapes every value, in text and in attributes', () => {
  const hostile = `<script>"'&</script>`
  expect(html`<a title="${hostile}">${hostile}</a>`.markup).toBe(
    '<a title="&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;">&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;</a>',
  )
})

it('takes markup as it is, alone and in lists', () => {
  const item = html`<b>${'<'}</b>`
  expect(html`${[item, item]}${null}${trusted('<i>')}${2}`.markup).toBe('<b>&lt;</b><b>&lt;</b><i>2')
})

it('replaces what a document cannot hold', () => {
  expect(html`${'a\0b\ud800c'}`.markup).toBe('a\ufffdb\ufffdc')
})
