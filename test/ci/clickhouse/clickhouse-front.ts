/**
 * The HTTP side of ClickHouse in front of the embedded engine: takes queries as ClickHouse's interface does, and passes
 * them to the engine with their parameters. `POST /` runs the test's own statements, which no reader may run. Prints
 * its port once it listens.
 */
import { createRequire } from 'node:module'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { isReader, queryOf } from '../../support/providers/clickhouse.ts'

interface Engine {
  query(text: string, format?: string): string
  queryBind(text: string, parameters: Readonly<Record<string, string>>, format: string): string
}

const load = createRequire(join(process.env.CHDB ?? '', 'package.json'))
const { Session } = load('chdb') as { readonly Session: new () => Engine }
const engine = new Session()

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method = '', url = '/', headers } = request
    try {
      if (method === 'POST') {
        response.end(engine.query(Buffer.concat(chunks).toString('utf8')))
        return
      }
      const query = queryOf({ method, path: url })
      if (!isReader(headers) || query === null) {
        response.writeHead(403).end('Code: 516. Authentication failed')
        return
      }
      const answer = engine.queryBind(query.text, query.parameters, 'JSON')
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
