import { openServe, type PathInfo, type ServeClient } from '@davit/nix'

import { openNixChannel, type ScriptPlace } from './nix-channel.ts'
import { onMachine } from './nix-errors.ts'

/** The Nix store of a machine, through one process there that is started when something is asked of it. */
export interface NixServe {
  /** After a failure or an abort the process is replaced: it answers nothing more. Errors name the machine. */
  use<Result>(signal: AbortSignal, work: (client: ServeClient) => Promise<Result>): Promise<Result>
  close(): void
}

export function nixServe(place: ScriptPlace): NixServe {
  let opened: Promise<OpenServe> | undefined
  return {
    async use(signal, work) {
      signal.throwIfAborted()
      opened ??= openNamedServe(place)
      const used = opened
      const stop = () => void used.then(({ abandon }) => abandon()).catch(() => {})
      signal.addEventListener('abort', stop, { once: true })
      try {
        return await work((await used).client)
      } catch (error) {
        if (opened === used) opened = undefined
        stop()
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    close() {
      opened?.then(({ client }) => client.close()).catch(() => {})
      opened = undefined
    },
  }
}

interface OpenServe {
  readonly client: ServeClient
  abandon(): void
}

async function openNamedServe(place: ScriptPlace): Promise<OpenServe> {
  const channel = await openNixChannel(place, { kind: 'serve' })
  try {
    const client = await openServe(channel)
    const abandon = () => {
      client.close()
      channel.close()
    }
    return { client: namedClient(place.address, client), abandon }
  } catch (error) {
    channel.close()
    throw onMachine(place.address, error)
  }
}

function namedClient(address: string, client: ServeClient): ServeClient {
  const named = async <Result>(answer: Promise<Result>): Promise<Result> => {
    try {
      return await answer
    } catch (error) {
      throw onMachine(address, error)
    }
  }
  return {
    validPaths: (paths, options) => named(client.validPaths(paths, options)),
    pathInfos: (paths) => named(client.pathInfos(paths)),
    closure: (paths) => named(client.closure(paths)),
    dump: (info) => namedChunks(address, client.dump(info)),
    add: (info, archive) => addFrom(client, { info, archive, named }),
    close: () => client.close(),
  }
}

async function* namedChunks(address: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw onMachine(address, error)
  }
}

interface Addition {
  readonly info: PathInfo
  readonly archive: AsyncIterable<Uint8Array>
  readonly named: (answer: Promise<void>) => Promise<void>
}

/** What went wrong with the archive is not the fault of the machine that it is sent to. */
async function addFrom(client: ServeClient, { info, archive, named }: Addition): Promise<void> {
  let failure: { readonly error: unknown } | undefined
  const watched = async function* () {
    try {
      yield* archive
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  try {
    await named(client.add(info, watched()))
  } catch (error) {
    throw failure?.error ?? error
  }
}
