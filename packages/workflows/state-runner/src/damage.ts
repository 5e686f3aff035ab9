import type { Report } from '@davit/diagnostics'
import type { ActivityResult, SnapshotStore } from '@davit/target'

import { say } from './messages.ts'

/** Reports what a module's target found damaged of earlier snapshots while it took one. */
export function reportDamage(
  result: ActivityResult | { readonly kind: 'no-state' },
  { target, component }: { readonly target: string; readonly component: string },
  report: Report,
): void {
  if (result.kind !== 'succeeded' || result.damage === undefined) return
  const lines = result.damage
    .split('\n')
    .flatMap((line) => (line.startsWith(PREFIX) ? [line.slice(PREFIX.length)] : []))
  report(say('snapshots-damaged', { target, component, damage: lines.join('; ') }))
}

const PREFIX = 'davit: '

/** What a store that gets a snapshot reports of those that it has. */
export function damageIn({ machine, place }: SnapshotStore, component: string, report: Report) {
  const target = place.startsWith('targets/') ? place.slice('targets/'.length) : machine.address
  return (names: readonly string[]) =>
    report(say('snapshots-damaged', { target, component, damage: names.map((name) => name.slice(0, 12)).join(', ') }))
}
