/**
 * Runs the Worker as `wrangler dev` does, with what only wrangler's interface for programs can set: `local-worker.mjs
 * OPTIONS`, with options as JSON; see `service.ts`. Plain JavaScript, because wrangler's types refer to a package that is
 * not installed with it.
 */
import { connect, createServer } from 'node:net'
import { unstable_DevEnv as DevEnv } from 'wrangler'

/**
 * Passes connections on to the runtime, untouched, and keeps them waiting while it is loaded again. It replaces wrangler's
 * own proxy, which takes the host of a request from a header that any page can set, so that the Worker would not learn
 * under which name it was asked.
 */
class Front {
  /** Part of the interface that wrangler expects, as are the methods up to `teardown`. */
  ready = Promise.withResolvers()
  #port
  #runtime = Promise.withResolvers()
  #sockets = new Set()
  #server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void this.#passOn(socket))

  constructor(port) {
    this.#port = port
  }

  onConfigUpdate() {}
  onBundleStart() {}

  onReloadStart() {
    this.#runtime = Promise.withResolvers()
  }

  onReloadComplete({ proxyData }) {
    const { hostname: host, port } = proxyData.userWorkerUrl
    this.#runtime.resolve({ host, port: Number(port), allowHalfOpen: true, noDelay: true })
    if (this.#server.listening) return
    this.#server.listen(this.#port, '127.0.0.1', () => {
      this.ready.resolve({ url: new URL(`http://127.0.0.1:${this.#port}`) })
    })
  }

  async teardown() {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #passOn(socket) {
    // A connection that breaks on one side breaks on the other.
    this.#keep(socket)
    const upstream = connect(await this.#runtime.promise)
    this.#keep(upstream)
    socket.on('close', () => upstream.destroy()).pipe(upstream)
    upstream.on('close', () => socket.destroy()).pipe(socket)
  }

  #keep(socket) {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket))
  }
}

/** wrangler's development server, in which the Worker is asked for static files too, so that it can refuse them. */
class LocalDevEnv extends DevEnv {
  dispatch(event) {
    if (event.type === 'configUpdate') {
      event.config.assets.binding = 'ASSETS'
      event.config.assets.routerConfig.invoke_user_worker_ahead_of_assets = true
    }
    super.dispatch(event)
  }
}

const { port, persist, envFiles, variables, hasInspector } = JSON.parse(process.argv[2])
const texts = Object.entries(variables).map(([name, value]) => [name, { type: 'plain_text', value }])

const worker = await new LocalDevEnv({ proxyFactory: () => new Front(port) }).startWorker({
  config: 'wrangler.toml',
  envFiles,
  bindings: {
    ...Object.fromEntries(texts),
    // A function as a binding exists in local runtimes only, so no variable of a deployment can make it a local start.
    LOCAL_START: { type: 'fetcher', fetcher: () => new Response() },
  },
  dev: {
    remote: false,
    server: { hostname: '127.0.0.1', port },
    // The runtime's debugger takes connections from any page in the developer's browser, and tells secrets.
    inspector: hasInspector ? { hostname: '127.0.0.1', port: 0 } : false,
    // Otherwise requests would seem to be for the host in `routes`.
    inferOriginFromRoutes: false,
    persist,
  },
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    void worker.dispose().then(() => process.exit())
  })
