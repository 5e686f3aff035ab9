import type { Report } from '@davit/diagnostics'
import type { StoreReference } from '@davit/documents'
import type { Store } from '@davit/store'
import {
  collectGarbage,
  collectNixGarbage,
  type CollectOptions,
  findGarbage,
  type Machine,
  trimRemnants,
} from '@davit/target'

import { say } from './messages.ts'
import { countsOf, countsOfRemnants, renderGarbage, renderRemnants } from './render-garbage.ts'

export interface CollectionPlace {
  /** Name for people: `the coordinator`, or names of targets. */
  readonly name: string
  readonly machine: Machine<'collect'>
  /** Store of the coordinator, if that is collected. */
  readonly store?: Store
}

export interface CollectionOptions extends Pick<CollectOptions, 'isRoot' | 'leftovers' | 'signal'> {
  readonly reference: StoreReference
  readonly dryRun: boolean
  readonly report: Report
  print(text: string): Promise<void>
}

/** Collects the garbage of one store and the remnants of services that are gone, or prints what would be removed. */
export async function collect(place: CollectionPlace, options: CollectionOptions): Promise<void> {
  // A client executable knows no native store: that of its helper is the coordinator's.
  if (place.machine.client === undefined || options.reference.kind === 'nix') await collectStore(place, options)
  const remnants = await trimRemnants(place.machine, options)
  if (remnants.length === 0) return
  if (options.dryRun) await options.print(renderRemnants(remnants, place.name))
  options.report(say('remnants-removed', { where: place.name, ...countsOfRemnants(remnants), dryRun: options.dryRun }))
}

async function collectStore(place: CollectionPlace, options: CollectionOptions): Promise<void> {
  if (options.reference.kind === 'nix') return collectNix(place, options)
  const { machine, store } = place
  const { dryRun, leftovers = 'keep' } = options
  const { directory } = options.reference
  const terms: CollectOptions = {
    signal: options.signal,
    ...(store?.kind === 'native' ? { store } : {}),
    leftovers,
    ...(options.isRoot === undefined ? {} : { isRoot: options.isRoot }),
  }
  const garbage = dryRun
    ? await findGarbage(machine, directory, terms)
    : await collectGarbage(machine, directory, terms)
  if (dryRun) await options.print(renderGarbage(garbage, place.name))
  options.report(say('garbage-collected', { where: place.name, ...countsOf(garbage), leftovers, dryRun }))
}

async function collectNix({ name, machine }: CollectionPlace, { dryRun, report }: CollectionOptions): Promise<void> {
  if (dryRun && machine.client !== undefined) {
    report(say('client-garbage-unknown', { where: name }))
    return
  }
  const output = await collectNixGarbage(machine, { dryRun })
  report(say('nix-garbage-collected', { where: name, output, dryRun }))
}
