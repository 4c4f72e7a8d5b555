import { expect, it } from 'vitest'
import { renderGuides } from './guide-pages.mjs'

const guides = renderGuides()
const byName = new Map(guides.map((guide) => [guide.name, guide]))

it('links only to pages and headings that exist, also in Markdown', () => {
  const links = guides.flatMap(({ name, html, markdown }) => [
    ...[...html.matchAll(/href="(?:\/guides\/([\w-]+))?(?:#([^"]*))?"/g)].map((found) => [name, ...found]),
    ...[...markdown.matchAll(/\]\((?:\/guides\/([\w-]+)\.md)?(?:#([^)]*))?\)/g)].map((found) => [
      name,
      ...found,
    ]),
  ])
  expect(links.length).toBeGreaterThan(60)
  const broken = links.filter(([from = '', , to = from, anchor]) => {
    const target = byName.get(to)?.html
    return target === undefined || (anchor !== undefined && !target.includes(` id="${anchor}"`))
  })
  expect(broken).toEqual([])
})

it('leaves no link to a file of the project in either form', () => {
  for (const { html, markdown } of guides) {
    expect(html).not.toMatch(/href="(?!https?:|\/|#)/)
    expect(markdown.replaceAll(/^```.*?^```/gms, '')).not.toMatch(/(?<!!)\[[^\]]+\]\((?!https?:|\/|#)[^)]+\)/)
  }
})

it('shows code as it is written', () => {
  expect(byName.get('forms')?.html).toContain('&lt;form method="post"')
  expect(byName.get('changelog')?.title).toBe('Changelog')
})
