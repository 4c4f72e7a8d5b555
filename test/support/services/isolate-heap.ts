import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { repeatWhileRejected } from '../../../domain/limits/waiting.ts'
import { serviceName } from '../../../host-worker/local/host.ts'
import { processTree } from './process-tree.ts'

/** The memory of the Worker's isolate right after its garbage was collected, in MiB. */
export interface IsolateHeap {
  /** Objects of JavaScript. */
  readonly objectsMiB: number
  /** Buffers, which lie outside of the heap. */
  readonly buffersMiB: number
}

/**
 * Collects the garbage of the Worker that `npm start` runs at an address, and measures what is left. It asks the
 * runtime's inspector, which a start with `INSPECTOR=1` serves on a port of its own. Works on Linux.
 */
export function isolateHeap({ pid, origin }: StartedWorker): Promise<IsolateHeap> {
  // A busy runtime now and then refuses its inspector.
  return repeatWhileRejected(
    { pausesMs: [1_000, 2_000, 4_000, 8_000, 16_000] },
    { isPassing: () => true, wait: (durationMs) => pause(durationMs) },
    () => measure(pid, origin),
  )
}

async function measure(rootPid: number, origin: string): Promise<IsolateHeap> {
  const ask = await openInspector(await inspectorUrl(rootPid))
  try {
    await ask('HeapProfiler.enable')
    const isCollected = ask('HeapProfiler.collectGarbage').then(() => true)
    // The runtime collects garbage when the Worker has its next turn, which only a request gives it.
    while (!(await Promise.race([isCollected, pause(WAKING_MS, false)])))
      await fetch(`${origin}/health`).then((answer) => answer.text())
    const { usedSize = 0, backingStorageSize = 0 } = await ask('Runtime.getHeapUsage')
    return { objectsMiB: usedSize / MIB, buffersMiB: backingStorageSize / MIB }
  } finally {
    ask.close()
  }
}

/** The process that started the Worker, and where it answers. */
interface StartedWorker {
  readonly pid: number
  readonly origin: string
}

const MIB = 1024 * 1024
/** How often the Worker is woken, in ms. */
const WAKING_MS = 50
const ANSWER_TIMEOUT_MS = 30_000
/** The inspector takes requests of development tools alone. */
const HEADERS = { origin: 'http://localhost' }

type Answer = Readonly<Record<string, number | undefined>>

async function openInspector(
  url: string,
): Promise<((method: string) => Promise<Answer>) & { close: () => void }> {
  const socket = new WebSocket(url, { headers: HEADERS } as unknown as string[])
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => {
      resolve()
    })
    socket.addEventListener('error', () => {
      reject(new Error('The inspector of the runtime refused a connection'))
    })
  })
  let asked = 0
  const ask = (method: string): Promise<Answer> => {
    const id = ++asked
    return new Promise((resolve, reject) => {
      const listener = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { readonly id?: number; readonly result?: Answer }
        if (message.id !== id) return
        socket.removeEventListener('message', listener)
        resolve(message.result ?? {})
      }
      socket.addEventListener('message', listener)
      setTimeout(() => {
        reject(new Error(`The inspector of the runtime did not answer ${method}`))
      }, ANSWER_TIMEOUT_MS).unref()
      socket.send(JSON.stringify({ id, method }))
    })
  }
  return Object.assign(ask, {
    close: () => {
      socket.close()
    },
  })
}

/** The address of the Worker's inspector: of all ports below the process, the one that lists the Worker. */
async function inspectorUrl(rootPid: number): Promise<string> {
  for (const port of processTree(rootPid).flatMap(({ pid }) => listeningPorts(pid))) {
    const response = await fetch(`http://127.0.0.1:${port}/json`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null)
    const listed = (await response?.json().catch(() => null)) as unknown
    if (!Array.isArray(listed)) continue
    const targets = listed as readonly { readonly id: string; readonly webSocketDebuggerUrl: string }[]
    const worker = targets.find(({ id }) => id === `core:user:${serviceName()}`)
    if (worker !== undefined) return worker.webSocketDebuggerUrl
  }
  throw new Error('The runtime serves no inspector')
}

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A'

function listeningPorts(pid: number): readonly number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? []
      } catch {
        // It was closed meanwhile.
        return []
      }
    }),
  )
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      return state === LISTENING && inodes.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : []
    })
}
