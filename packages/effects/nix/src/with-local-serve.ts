import type { Readable } from 'node:stream'
import type { Environment } from '@davit/process'
import { startNix } from './run-nix.ts'
import { openServe, type ServeClient } from './serve-client.ts'

const TAIL_CHARACTERS = 16 * 1024

/** Speaks with the store of this machine, as the given environment has it; one process for all that is asked. */
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
    // What has been read is what there is.
  }
  return tail
}
