import { openServe, type PathInfo, type ServeClient } from '@davit/nix'

import { openNixChannel, type ScriptPlace } from './channel.ts'
import { type Flow, watchFlow } from './flow.ts'
import { type LivingPlace, whileAlive } from '../helper/proof-of-life.ts'

/** A place that runs scripts and has a helper that can prove to be alive. */
type ServePlace = ScriptPlace & LivingPlace

/** The Nix store of a machine, through one process there that is started on first use. */
export interface NixServe {
  /** Works with the store. After a failure or an abort the process is replaced. Errors name the machine. */
  use<Result>(signal: AbortSignal, work: (client: ServeClient) => Promise<Result>): Promise<Result>
  close(): void
}

export function nixServe(place: ServePlace): NixServe {
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

async function openNamedServe(place: ServePlace): Promise<OpenServe> {
  const channel = await openNixChannel(place, { kind: 'serve' })
  const flow = watchFlow(place, channel)
  try {
    const client = await flow.named(openServe(channel))
    const close = () => {
      flow.stop()
      client.close()
    }
    const abandon = () => {
      close()
      channel.close()
    }
    return { client: { ...namedClient(place, client, flow), close }, abandon }
  } catch (error) {
    flow.stop()
    channel.close()
    throw error
  }
}

function namedClient(place: ServePlace, client: ServeClient, flow: Flow): ServeClient {
  const { named } = flow
  return {
    // Caches may be slow; Nix itself gives up on those that send nothing.
    validPaths: (paths, options) =>
      options?.substitute === true
        ? flow.patiently(whileAlive(place, client.validPaths(paths, options)))
        : named(client.validPaths(paths, options)),
    pathInfos: (paths) => named(client.pathInfos(paths)),
    closure: (paths) => named(client.closure(paths)),
    dump: (info) => namedChunks(flow, client.dump(info)),
    add: (info, archive) => addFrom(client, { info, archive, flow }),
    close: () => client.close(),
  }
}

async function* namedChunks({ named }: Flow, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (let next = await named(iterator.next()); next.done !== true; next = await named(iterator.next()))
      yield next.value
  } finally {
    await iterator.return?.()
  }
}

interface Addition {
  readonly info: PathInfo
  readonly archive: AsyncIterable<Uint8Array>
  readonly flow: Flow
}

/** Adds a path. An error of reading the archive is thrown as it is, not as an error of the machine. */
async function addFrom(client: ServeClient, { info, archive, flow }: Addition): Promise<void> {
  let failure: { readonly error: unknown } | undefined
  const watched = async function* () {
    try {
      yield* flow.fromHere(archive)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  try {
    await flow.named(client.add(info, watched()))
  } catch (error) {
    throw failure?.error ?? error
  }
}
