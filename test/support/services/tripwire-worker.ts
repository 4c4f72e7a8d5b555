/**
 * The service's Worker, with a wire before and after each database call of requests with `x-tripwire`. Wires are
 * counted separately in each phase of a move, which is read from the database's answers. `x-tripwire` names a wire by
 * phase and number, as in `switching 3`, or is `all`. At a named wire the call waits until `TRIPWIRE` responds, and
 * meanwhile the runtime may be killed. The module is placed beside the built `worker.js`.
 */
export const TRIPWIRE_WORKER = `import worker, { FamilyDatabase, FollowUp } from './worker.js'

export { FamilyDatabase, FollowUp }

let phase = null
let passed = 0

export default {
  fetch(request, bindings, lifetime) {
    const wanted = request.headers.get('x-tripwire')
    if (wanted !== null && request.url.endsWith('/move')) enter(null)
    return worker.fetch(request, wanted === null ? bindings : wired(bindings, wanted), lifetime)
  },
  queue: (...given) => worker.queue(...given),
  scheduled: (...given) => worker.scheduled(...given),
}

function enter(next) {
  phase = next
  passed = 0
}

function look(answer) {
  const answers = Array.isArray(answer) ? answer : [answer ?? {}]
  const seen = answers.flatMap(({ results = [] }) => results).find((row) => typeof row.phase === 'string')
  if (seen !== undefined && seen.phase !== phase) enter(seen.phase)
}

function wired(bindings, wanted) {
  const pass = async (name) => {
    const at = phase + ' ' + passed++
    if (wanted === 'all' || wanted === at) await bindings.TRIPWIRE.fetch('http://tripwire/' + at + ' ' + name)
  }
  const through = async (name, call) => {
    await pass('before ' + name)
    const answer = await call()
    look(answer)
    await pass('after ' + name)
    return answer
  }
  const unwired = new WeakMap()
  const wiredStatement = (statement) => {
    const made = replaced(statement, {
      bind: (...values) => wiredStatement(statement.bind(...values)),
      all: () => through('DB', () => statement.all()),
    })
    unwired.set(made, statement)
    return made
  }
  const DB = replaced(bindings.DB, {
    prepare: (sql) => wiredStatement(bindings.DB.prepare(sql)),
    batch: (statements) => through('DB', () => bindings.DB.batch(statements.map((each) => unwired.get(each)))),
  })
  const FAMILIES = replaced(bindings.FAMILIES, {
    get: (...given) => wiredObject(bindings.FAMILIES.get(...given), through),
  })
  return { ...bindings, DB, FAMILIES }
}

function wiredObject(stub, through) {
  return new Proxy(stub, {
    get: (_, method) => (...given) => through('object.' + String(method), () => stub[method](...given)),
  })
}

function replaced(target, methods) {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return methods[name]
      const value = target[name]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
`
