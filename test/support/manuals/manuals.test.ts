import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { endpoints } from '../contract/endpoints.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { manualsOf } from './manuals.ts'

const manuals = manualsOf(projectRoot)
const texts = new Map(manuals.map(({ path, text }) => [path, text]))

/** The target of a link in a manual: a path from the project's root, and the heading that follows `#`. */
interface Target {
  readonly from: string
  readonly path: string
  readonly anchor: string | null
}

/** The links and pictures of a manual that refer to another file of the project, or to a heading. */
function targetsOf(from: string): readonly Target[] {
  return [...(texts.get(from) ?? '').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(
    ([, path = '', anchor = null]) => ({
      from,
      path: path === '' ? from : normalize(join(dirname(from), path)).replaceAll('\\', '/'),
      anchor,
    }),
  )
}

/** The anchors that GitHub gives to a manual's headings. */
function anchorsOf(path: string): readonly string[] {
  const prose = (texts.get(path) ?? '').replace(/^```.*?^```/gms, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it('links only to files and headings that exist', () => {
  const broken = manuals
    .flatMap(({ path }) => targetsOf(path))
    .filter(
      ({ path, anchor }) =>
        !existsSync(join(projectRoot, path)) || (anchor !== null && !anchorsOf(path).includes(anchor)),
    )
  expect(broken).toEqual([])
})

it('reaches every manual from the README', () => {
  const reached = new Set(['README.md'])
  for (const from of reached) for (const { path } of targetsOf(from)) if (texts.has(path)) reached.add(path)
  expect([...texts.keys()].filter((path) => !reached.has(path))).toEqual([])
})

it('keeps the README short enough to be read to its end: five minutes, of 250 words each', () => {
  const words = (texts.get('README.md') ?? '').match(/[\p{L}\p{N}]\S*/gu) ?? []
  expect(words.length).toBeGreaterThan(600)
  expect(words.length).toBeLessThanOrEqual(1_250)
})

/** The folders directly within a folder of the project. */
function foldersIn(path: string): readonly string[] {
  return readdirSync(join(projectRoot, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\..*|node_modules)$/.test(entry.name))
    .map(({ name }) => name)
}

/** The names of all folders below a folder of the project, at any depth. */
function foldersBelow(path: string): readonly string[] {
  return foldersIn(path).flatMap((name) => [name, ...foldersBelow(join(path, name))])
}

/** The names of the folders that the code map of the architecture lists in a folder at the top, such as `domain`. */
function mappedFolders(top: string): readonly string[] {
  const section =
    new RegExp(`^${top}/.*\\n(?:  .*\\n)*`, 'm').exec(texts.get('ARCHITECTURE.md') ?? '')?.[0] ?? ''
  const entries = section.slice(`${top}/`.length)
  return [...entries.matchAll(/(?<![\w/.-])([a-z\d-]+)\/(?=[\s,]|$)/gm)].map(([, name = '']) => name)
}

it.each(['domain', 'adapters', 'host-worker', 'test'])('maps the folders of %s as they are', (top) => {
  const mapped = mappedFolders(top)
  expect(foldersIn(top).filter((name) => !mapped.includes(name))).toEqual([])
  expect(mapped.filter((name) => !foldersBelow(top).includes(name))).toEqual([])
})

it('the guide to a sync names every collection that can be synced, its id, and its name in removals', () => {
  const said = [
    ...(texts.get('host-worker/guides/sync.md') ?? '').matchAll(/^\| `(\/\S+)` +\| (.+?) +\| `(\S+)` +\|$/gm),
  ]
  const declared = endpoints.flatMap((endpoint) => {
    if (endpoint.kind !== 'collection' || endpoint.parent !== null || endpoint.syncOrder === null) return []
    const { removal, idField } = endpoint.resource
    if (removal === null) return []
    const id = removal.parent === null ? `\`${idField}\`` : `\`organizationId\` with \`${removal.id}\``
    return [[endpoint.path.replace('/api/v1', ''), id, removal.collection]]
  })
  expect(said.map(([, ...cells]) => cells)).toEqual(declared)
})
