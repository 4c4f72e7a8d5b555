import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../host-worker/local/project.ts'

// The files and folders that manuals, guides and comments name are there.

const files = globSync(['**', '.ci/**', '.config/**'], {
  cwd: projectRoot,
  withFileTypes: true,
  exclude: ({ name }) => isForeign(name),
})
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) =>
    join(parentPath, name)
      .slice(projectRoot.length + 1)
      .replaceAll('\\', '/'),
  )

/** Whether an entry of a folder is not the project's own: installed, built, or of the version control. */
function isForeign(name: string): boolean {
  return ['node_modules', 'dist', 'built', '.wrangler', '.git', 'package-lock.json'].includes(name)
}

/** Every file and folder, as a path from the project's root. */
const paths = new Set(
  files.flatMap((file) => {
    const parts = file.split('/')
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  }),
)

/** The rooms and the folders of tools: a path that begins with one of them, and a slash, is meant from the root. */
const FROM_ROOT = /^(?:domain|ports|adapters|host-worker|test|\.ci|\.config)\//
const NAMED = new RegExp(
  [
    // A path below a room, or a file by its name, with or without folders before it.
    String.raw`(?<![\w/.:@{$-])(?:\.{1,2}/)*(?:domain|ports|adapters|host-worker|test|\.ci|\.config)/[\w./*-]*[\w*]`,
    String.raw`(?<![\w/.:@*{$-])(?:\.{1,2}/)*[\w.-]+(?:/[\w.*-]+)*\.(?:ts|tsx|mjs|cjs|sh|sql|md|css|toml)\b`,
  ].join('|'),
  'g',
)

/** Names that are no file of the project, with the reason. */
const NO_FILE: readonly RegExp[] = [
  // A placeholder.
  /^(?:\S+\/)?name(?:\.(?:system|long))?\.(?:ts|test\.ts|test-d\.ts)$/,
  /^NNNN_name\.sql$/,
  // A word of a command that narrows tests down by the beginning of their paths.
  /^test\/e2e\/sends$/,
]

/** The pattern of a path in which `*` and a placeholder in capitals stand for any name. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) =>
    part
      .replaceAll(/[.+$]/g, String.raw`\$&`)
      .replaceAll('*', '[^/]*')
      .replace(/\b[A-Z]{4,}\b(?=$|\\\.)/, '[^/]+'),
  )
  return new RegExp(`^(?:.*/)?${parts.join('/')}$`)
}

/** Whether the name of a file or folder, in a text of the file `from`, is that of one that exists. */
function isThere(name: string, from: string): boolean {
  const path = name.replace(/[./]+$/, '')
  if (NO_FILE.some((pattern) => pattern.test(path))) return true
  if (paths.has(normalize(join(dirname(from), path))) || paths.has(normalize(path))) return true
  // Within a room, a file is named from any folder on the way to it.
  const rest = path.replace(/^(?:\.{1,2}\/)+/, '')
  const pattern = patternOf(rest)
  const [room = ''] = rest.split('/')
  return [...paths].some(
    (known) => pattern.test(known) && (!FROM_ROOT.test(path) || known.startsWith(`${room}/`)),
  )
}

/** The parts of a file that are prose: all of a manual, the comments of any other. */
function proseOf(file: string): string {
  const text = readFileSync(join(projectRoot, file), 'utf8').replaceAll(/https?:\/\/\S+/g, '')
  if (file.endsWith('.md')) return text
  const comments = /\.(?:sh|toml)$/.test(file)
    ? /^\s*#.*$/gm
    : /\.sql$/.test(file)
      ? /--.*$/gm
      : /(?<=^|\s)(?:\/\*[^]*?\*\/|\/\/.*$)/gm
  return (text.match(comments) ?? []).join('\n')
}

const written = files.filter((file) => /\.(?:md|tsx?|mjs|cjs|sh|toml|sql|css)$/.test(file))

test('every file and folder that a manual or a comment names exists', () => {
  expect(written.length).toBeGreaterThan(1000)
  let named = 0
  const missing = written.flatMap((file) => {
    const names = proseOf(file).match(NAMED) ?? []
    named += names.length
    return names.filter((name) => !isThere(name, file)).map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
  expect(named).toBeGreaterThan(300)
})

test.each([
  ['domain/access/keys/keys.ts', 'README.md', false],
  ['domain/access/keys.ts', 'README.md', true],
  ['../style/table.tsx', 'host-worker/console/README.md', false],
  ['../kit/table.tsx', 'host-worker/console/README.md', true],
  ['find/at-place.ts', 'domain/placement/README.md', true],
  ['found/at-place.ts', 'domain/placement/README.md', false],
  ['test/contract/operator/*.test.ts', 'domain/operators/README.md', true],
  ['test/contract/operators/*.test.ts', 'domain/operators/README.md', false],
  ['./adapters/NAME', 'host-worker/http/README.md', true],
  ['no-such-file.ts', 'README.md', false],
])('%s in %s is there: %s', (name, from, is) => {
  expect(isThere(name, from)).toBe(is)
})
