import { createServer } from 'node:net'

/** Whether no program listens on this port of the loopback interface. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(false)
    })
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => {
        resolve(true)
      })
    })
  })
}

/** The preferred port when it is free, else any free one of the loopback interface. */
export async function portNear(preferred: number): Promise<number> {
  if (preferred <= 65_535 && (await isPortFree(preferred))) return preferred
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : preferred)
      })
    })
  })
}
