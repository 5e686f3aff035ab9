import type { Readable } from 'node:stream'
import type { Environment } from '@davit/process'
import { startNix } from './run-nix.ts'
import { openServe, type ServeClient } from './serve-client.ts'

const TAIL_CHARACTERS = 16 * 1024

/** Connects to the store of this machine, as the environment configures it; one process serves all requests. */
export async function withLocalServe<Result>(
  environment: Environment,
  use: (client: ServeClient) => Promise<Result>,
): Promise<Result> {
  const store = await startNix({ argv: ['nix-store', '--serve', '--write'], environment })
  const said = tailOf(store.stderr)
  try {
    const client = await openServe({ ...store, lastWords: () => said })
    try {
      return await use(client)
    } finally {
      client.close()
    }
  } catch (error) {
    store.kill()
    throw error
  } finally {
    store.stdin.destroy()
    await store.exit
  }
}

async function tailOf(stream: Readable): Promise<string> {
  let tail = ''
  try {
    for await (const chunk of stream) tail = `${tail}${String(chunk)}`.slice(-TAIL_CHARACTERS)
  } catch {
    // Keeps what has been read so far.
  }
  return tail
}
