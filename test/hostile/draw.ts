import { createDraw, type Draw } from '../support/data/draw.ts'
import { hostileTexts } from './texts.ts'

/** Draws the parts of hostile requests from a seed: the same seed makes the same requests. */
export interface HostileDraw extends Draw {
  /** A text from the list of hostile texts, or several of them in a row. */
  text(): string
  /** Any JSON value, nested at most `depth` deep. */
  json(depth: number): unknown
  bytes(length: number): Buffer
}

/** @param seed any whole number */
export function createHostileDraw(seed: number): HostileDraw {
  const draw = createDraw(seed)
  const { below, chance, pick } = draw
  const text = (): string => (chance(15) ? pick(hostileTexts) + pick(hostileTexts) : pick(hostileTexts))
  const json = (depth: number): unknown => {
    const kind = below(depth > 0 ? 10 : 7)
    if (kind < 3) return text()
    if (kind === 3) return pick([0, -0, 1, -1, 1e21, 1.5e-7, 2 ** 53, -(2 ** 31), 0.1 + 0.2])
    if (kind === 4) return chance(50)
    if (kind < 7) return null
    const length = chance(5) ? 300 : below(5)
    const items = Array.from({ length }, () => json(depth - 1))
    return kind < 9 ? items : Object.fromEntries(items.map((item) => [text(), item]))
  }
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))
  return { ...draw, text, json, bytes }
}
