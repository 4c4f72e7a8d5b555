/**
 * The service's Worker, with a wire before and after each call of a database that requests with `x-tripwire` make: there
 * the call waits until `TRIPWIRE` answers, which is when the runtime may be killed.
 */
import worker, { FamilyDatabase, FollowUp } from './worker.js'

export { FamilyDatabase, FollowUp }

export default {
  fetch: (request, bindings, lifetime) =>
    worker.fetch(request, request.headers.has('x-tripwire') ? wired(bindings) : bindings, lifetime),
  queue: (...given) => worker.queue(...given),
  scheduled: (...given) => worker.scheduled(...given),
}

function wired(bindings) {
  const through = async (name, call) => {
    await bindings.TRIPWIRE.fetch(`http://tripwire/before ${name}`)
    const answer = await call()
    await bindings.TRIPWIRE.fetch(`http://tripwire/after ${name}`)
    return answer
  }
  const database = replaced(bindings.DB, {
    batch: (statements) => through('DB', () => bindings.DB.batch(statements)),
  })
  const families = replaced(bindings.FAMILIES, {
    get: (...given) => wiredObject(bindings.FAMILIES.get(...given), through),
  })
  return { ...bindings, DB: database, FAMILIES: families }
}

/** A stub whose methods are calls over RPC. */
function wiredObject(stub, through) {
  return new Proxy(stub, {
    get:
      (_, method) =>
      (...given) =>
        through(`object.${String(method)}`, () => stub[method](...given)),
  })
}

/** An object with some methods replaced. */
function replaced(target, methods) {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return methods[name]
      const value = target[name]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
