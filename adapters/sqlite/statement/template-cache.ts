/**
 * The maximum number of compiled statements in a cache. All endpoints together have a few hundred; the bound protects
 * against callers that create new shapes without end.
 */
const SHAPES_MAX = 1000

/** A cache of what was compiled for each shape of a query. */
export function templateCache<Compiled>(): (shape: string, compile: () => Compiled) => Compiled {
  const shapes = new Map<string, Compiled>()
  return (shape, compile) => {
    const known = shapes.get(shape)
    if (known !== undefined) return known
    if (shapes.size >= SHAPES_MAX) shapes.clear()
    const compiled = compile()
    shapes.set(shape, compiled)
    return compiled
  }
}
