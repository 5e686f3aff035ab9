import type { Host } from './hosts.ts'
import { infrastructureOf } from './models.ts'

/** Names of the targets of systems on three hosts, which are others than those of the hosts. */
export const TARGETS = ['one', 'two', 'three'] as const
export type TargetName = (typeof TARGETS)[number]

interface ThreeHosts {
  readonly hosts: readonly Host[]
}

export function hostOf({ hosts }: ThreeHosts, target: TargetName): Host {
  return hosts[TARGETS.indexOf(target)]!
}

/** Returns an infrastructure of targets, on which several activities run at a time. */
export function targetsOn(set: ThreeHosts, names: readonly TargetName[] = TARGETS) {
  const targets = names.map((name) => ({ name, address: hostOf(set, name).address }))
  return infrastructureOf(targets, { numOfCores: 2 })
}

/** Body of a wrapper that keeps its state in a directory of its name. */
export const KEEP_DIRECTORY = `state=/var/lib/$DAVIT_SERVICE
case $1 in
  activate) mkdir -p "$state" ;;
  snapshot) ln -s "$state" "$DAVIT_SNAPSHOT/state" ;;
  restore) rm -rf "$state" && cp -a "$DAVIT_SNAPSHOT/state" "$state" ;;
  collect-garbage) rm -rf "$state" ;;
esac || exit`

/** Adds a row to the state that a service `ledger` with such a body keeps on a host. */
export async function writeRow(host: Host, row: string): Promise<void> {
  await host.sh(`echo '${row}' >>/var/lib/ledger/rows`)
}

/** Returns the rows of that state. */
export async function rowsOn(host: Host): Promise<string> {
  return host.sh('cat /var/lib/ledger/rows 2>/dev/null || :')
}
