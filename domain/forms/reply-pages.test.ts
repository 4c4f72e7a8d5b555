import { describe, expect, it } from 'vitest'
import { STYLE } from './reply-pages.ts'

/** The colours of both themes, by name. */
const themes = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, declarations = '']) =>
    new Map(
      [...declarations.matchAll(/--(\w+): (#\w+)/g)].map(([, name = '', colour = '']) => [name, colour]),
    ),
)

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.slice(1).replaceAll(/./g, '$&$&') : colour.slice(1)
  const [red = 0, green = 0, blue = 0] = (digits.match(/../g) ?? []).map((pair) => {
    const share = Number.parseInt(pair, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(left: string, right: string): number {
  const [dark = 0, light = 0] = [luminance(left), luminance(right)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.each([
  ['light', 0],
  ['dark', 1],
])('%s', (_, index) => {
  it.each(['text', 'soft', 'good', 'bad', 'link'])('%s can be read on the card', (name) => {
    const theme = themes[index] ?? new Map<string, string>()
    expect(contrast(theme.get(name) ?? '', theme.get('card') ?? '')).toBeGreaterThanOrEqual(4.5)
  })
})
