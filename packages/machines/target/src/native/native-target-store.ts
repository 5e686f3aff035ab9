import { basename } from 'node:path'

import type { StorePath } from '@davit/documents'
import { type NativeStore, type Registration, type StoreLayout, storeLayout } from '@davit/store'

import type { Machine } from '../machine.ts'
import { markAltered } from './altered.ts'
import { bringNatively } from './bring.ts'
import { buildNatively } from './build.ts'
import { fetchNatively } from './fetch.ts'
import { importArchive, missingNames } from './import.ts'
import type { TargetStore, TransferOptions, Transferred } from '../target-store.ts'

export function nativeTargetStore(machine: Machine<'carry'>, store: NativeStore): TargetStore {
  const layout = storeLayout(store.reference.directory)
  /** Paths that are protected already; sending protects too. */
  const kept = new Set<StorePath>()
  return {
    async missing(paths, { protect = [] } = {}) {
      if (paths.length === 0) return []
      const names = paths.map((path) => basename(path))
      const missing = new Set(await missingNames(machine, layout, { names, protect }))
      if (missing.size === 0) for (const path of protect) kept.add(path)
      return paths.filter((path) => missing.has(basename(path)))
    },
    async send(paths, options) {
      if (paths.length === 0) return { paths: 0, bytes: 0 }
      const registrations = await store.registrations(paths)
      await store.refuseAltered(paths)
      const tops = unreferred(registrations)
      const sent = await sendPaths(machine, { store, layout, registrations, tops, ...options })
      for (const path of tops) kept.add(path)
      return sent
    },
    async protect(paths) {
      const unkept = paths.filter((path) => !kept.has(path))
      if (unkept.length === 0) return
      await machine.request('protect', ['native', layout.roots, ...unkept])
      for (const path of unkept) kept.add(path)
    },
    markAltered: (paths) => markAltered(machine, store, paths),
    build: (derivations, options) => buildNatively({ machine, store }, derivations, options),
    fetch: (derivations, options) => fetchNatively({ machine, store }, derivations, options),
    bring: (paths, options) => bringNatively({ machine, store }, paths, options),
  }
}

interface PathsToSend extends TransferOptions {
  readonly store: NativeStore
  readonly layout: StoreLayout
  readonly registrations: readonly Registration[]
  readonly tops: readonly StorePath[]
}

async function sendPaths(
  machine: Machine<'carry'>,
  { store, layout, registrations, tops, signal }: PathsToSend,
): Promise<Transferred> {
  await importArchive(machine, layout, {
    archive: store.export(registrations.map(({ path }) => path)),
    names: registrations.map(({ path }) => basename(path)),
    protect: tops.map((path) => basename(path)),
    needs: referredElsewhere(registrations).map((path) => basename(path)),
    signal,
  })
  return { paths: registrations.length, bytes: registrations.reduce((sum, { size }) => sum + size, 0) }
}

/** Returns references that are not among the paths themselves. */
function referredElsewhere(registrations: readonly Registration[]): readonly StorePath[] {
  const sent = new Set(registrations.map(({ path }) => path))
  return [...new Set(registrations.flatMap(({ references }) => references))].filter((path) => !sent.has(path))
}

/** Returns paths that no other one refers to; their closures contain all paths. */
function unreferred(registrations: readonly Registration[]): readonly StorePath[] {
  const referred = new Set(registrations.flatMap(({ path, references }) => references.filter((one) => one !== path)))
  return registrations.map(({ path }) => path).filter((path) => !referred.has(path))
}
