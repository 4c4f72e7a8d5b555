import { drawWorld } from './world.ts'
import { checkWorld } from './law.ts'
import { nodePlace } from './places.ts'
const seed = Number(process.argv[2] ?? 1)
for (const which of ['shared', 'own'] as const) {
  const place = await nodePlace(which)
  const t0 = performance.now()
  const world = drawWorld(seed, Number(process.argv[3] ?? 20))
  const t1 = performance.now()
  console.log(place.name, await checkWorld(world, place), Math.round(t1 - t0), Math.round(performance.now() - t1))
  await place.close()
}
