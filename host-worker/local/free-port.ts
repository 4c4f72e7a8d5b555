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
