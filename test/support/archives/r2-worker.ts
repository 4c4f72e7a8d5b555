import type { R2Bucket } from '@cloudflare/workers-types'
import { sealTo } from '../../../adapters/archive-age/index.ts'
import { createR2Archives } from '../../../adapters/archive-r2/index.ts'

/** A Worker that gives a test the adapters of archives in the real runtime. */
export default {
  async fetch(request: Request, { BACKUPS }: { readonly BACKUPS: R2Bucket }): Promise<Response> {
    const archives = createR2Archives(BACKUPS)
    const { searchParams } = new URL(request.url)
    const name = searchParams.get('name') ?? ''
    const number = (of: string) => Number(searchParams.get(of))
    switch (request.method) {
      case 'PUT': {
        const recipient = searchParams.get('recipient')
        const pieces = piecesOf(request, number('failAfter'))
        try {
          await archives.put(name, recipient === null ? pieces : sealTo(recipient)(pieces))
          return new Response()
        } catch (error) {
          return new Response(String(error), { status: 500 })
        }
      }
      case 'DELETE':
        await archives.remove(name)
        return new Response()
      default: {
        if (name === '') return Response.json(await archives.list(searchParams.get('after'), number('limit')))
        const bytes = await archives.read(name, number('offset'), number('length'))
        return new Response(bytes, { status: bytes === null ? 404 : 200 })
      }
    }
  },
}

/** The body of a request, which breaks after so many bytes; 0: it does not. */
async function* piecesOf({ body }: Request, failAfter: number): AsyncGenerator<Uint8Array> {
  const reader = (body ?? new Blob().stream()).getReader() as ReadableStreamDefaultReader<Uint8Array>
  let given = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    given += next.value.length
    if (failAfter > 0 && given > failAfter) throw new Error('The source broke.')
    yield next.value
  }
}
