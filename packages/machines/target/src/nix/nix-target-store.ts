import { createHash } from 'node:crypto'

import type { StorePath } from '@davit/documents'
import { copyPaths, type ServeClient } from '@davit/nix'
import type { NixStore } from '@davit/store'

import type { Machine } from '../machine.ts'
import { buildWithNix, builtOutputs } from './build.ts'
import { onMachine } from './errors.ts'
import type { ShellTarget } from '../shell-target.ts'
import { notValidThere, type TargetStore, type TransferOptions, type Transferred } from '../target-store.ts'

export function nixTargetStore({ name, machine }: ShellTarget<'carry'>, store: NixStore): TargetStore {
  const { nixStore } = machine
  return {
    async missing(paths, { useSubstitutes = false, signal = NEVER } = {}) {
      if (paths.length === 0) return []
      return nixStore.use(signal, (remote) => missingIn(remote, paths, { substitute: useSubstitutes, keep: true }))
    },
    async send(paths, { signal }) {
      if (paths.length === 0) return NOTHING
      return nixStore.use(signal, (remote) => store.withServe((local) => copyAll(local, remote, { paths, signal })))
    },
    protect: (paths) => protect(machine, paths),
    markAltered: async () => [],
    build: (derivations, options) => buildWithNix({ name, machine, store }, derivations, options),
    async fetch(derivations, { signal }) {
      return bringClosure(machine, store, {
        paths: await builtOutputs({ machine, store }, derivations, signal),
        signal,
      })
    },
    async bring(paths, { signal }) {
      const lacking = await machine.nixStore.use(signal, (remote) => missingIn(remote, paths, { keep: true }))
      if (lacking.length > 0) throw notValidThere(machine.address, lacking)
      const brought = await bringClosure(machine, store, { paths, signal })
      await store.protect(paths)
      return brought
    },
  }
}

const NEVER = new AbortController().signal
const NOTHING: Transferred = { paths: 0, bytes: 0 }

interface PathsToCopy extends TransferOptions {
  readonly paths: readonly StorePath[]
}

async function copyAll(from: ServeClient, to: ServeClient, { paths, signal }: PathsToCopy): Promise<Transferred> {
  return copyPaths(from, to, { infos: await from.pathInfos(paths), signal })
}

async function missingIn(
  client: ServeClient,
  paths: readonly StorePath[],
  options: { readonly substitute?: boolean; readonly keep?: boolean } = {},
): Promise<readonly StorePath[]> {
  const valid = await client.validPaths(paths, options)
  return paths.filter((path) => !valid.has(path))
}

/** As many as fit into one argument of a program there, at most 128 kB, with names of any length. */
const PATHS_A_REQUEST = 400

async function protect(machine: Machine<'carry'>, paths: readonly StorePath[]): Promise<void> {
  for (let first = 0; first < paths.length; first += PATHS_A_REQUEST) {
    const some = paths.slice(first, first + PATHS_A_REQUEST)
    // The name depends on the paths only, so that the same paths replace their earlier root.
    const set = createHash('sha256').update(some.join(' ')).digest('hex').slice(0, 32)
    await machine.request('protect', ['nix', set, ...some]).catch((error: unknown) => {
      throw onMachine(machine.address, error)
    })
  }
}

/** Copies the closure of valid paths of a machine, as far as the coordinator lacks it. */
async function bringClosure(
  machine: Machine<'carry'>,
  store: NixStore,
  { paths, signal }: PathsToCopy,
): Promise<Transferred> {
  if (paths.length === 0) return NOTHING
  return machine.nixStore.use(signal, (remote) =>
    store.withServe(async (local) => {
      const missing = await missingIn(local, await remote.closure(paths), { keep: true })
      return missing.length === 0 ? NOTHING : copyAll(remote, local, { paths: missing, signal })
    }),
  )
}
