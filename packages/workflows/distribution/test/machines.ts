import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Report } from '@davit/diagnostics'
import type { Manifest, StorePath, TargetName } from '@davit/documents'
import type { Store } from '@davit/store'
import { type Machine, openMachine, type ShellTarget } from '@davit/target'
import { shellConnection } from '@davit/connection/testing'
import { nixConnection } from '@davit/target/testing'
import type { PrivateNix } from '@davit/testing/private-nix'
import type { Shell } from '@davit/testing/shells'

import { distribute } from '../src/distribution.ts'
import type { DistributionOptions } from '../src/distribute.ts'

/** A target on its own machine, and the operations requested from the helper there. */
export interface CountedTarget extends ShellTarget<'carry'> {
  readonly operations: string[]
}

async function counted(name: string, connection: Parameters<typeof openMachine>[0]): Promise<CountedTarget> {
  const machine = await openMachine(connection, { role: 'carry' })
  const operations = ['hello']
  const counting: Machine<'carry'> = {
    ...machine,
    request(...request) {
      operations.push(request[0])
      return machine.request(...request)
    },
  }
  return { name: name as TargetName, machine: counting, operations }
}

/** A machine on which `directory` is not that of the coordinator, but a separate one below `home`. */
export function nativeTarget(
  name: string,
  shell: Shell,
  places: { directory: string; home: string },
): Promise<CountedTarget> {
  const { directory, home } = places
  const own = join(home, 'store')
  mkdirSync(own, { recursive: true })
  mkdirSync(directory, { recursive: true })
  const within = join(home, 'enter')
  const inside = `mount --bind ${own} ${directory} && exec "$@"`
  writeFileSync(within, `#!/bin/sh\nexec unshare -m --propagation private sh -c '${inside}' sh "$@"\n`)
  chmodSync(within, 0o755)
  return counted(name, async () => shellConnection(shell, join(home, 'state'), { within }))
}

export interface NixPlaces {
  readonly nix: PrivateNix
  readonly programs: string
  readonly home: string
}

export function nixTarget(name: string, shell: Shell, places: NixPlaces): Promise<CountedTarget> {
  return counted(name, async () => nixConnection(shell, places))
}

/** Manifest of targets with one profile each. */
export function manifestOf(store: Store, profiles: ReadonlyMap<string, StorePath>): Manifest {
  return {
    profiles: new Map([...profiles].map(([name, path]) => [name as TargetName, path])),
    services: new Map(),
    infrastructure: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
    store: store.reference,
  }
}

/** Distributes to these targets; returns what is reported at the end of each, in order, with the messages of failures. */
export async function distributed(
  manifest: Manifest,
  targets: readonly ShellTarget<'carry'>[],
  options: Pick<DistributionOptions, 'store'> & Partial<DistributionOptions>,
): Promise<readonly string[]> {
  const ends = new Map<string, string>()
  const report: Report = (event) => {
    if (event.kind === 'finished') ends.set(event.target ?? '', event.step)
    if (event.kind === 'failed') ends.set(event.target ?? '', `failed: ${event.message}`)
  }
  const reached = { targets: new Map(targets.map((target) => [target.name, target])), unreachable: new Map() }
  const { signal } = new AbortController()
  const defaults = { maxTransfers: 4, report, signal, unreachable: 'refuse' } as const
  const { failed } = await distribute(manifest, reached, { ...defaults, ...options })
  return targets.map(({ name }) => `${ends.get(name)}${failed.has(name) ? ' (failed)' : ''}`)
}
