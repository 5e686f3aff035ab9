import { nameText } from '@davit/diagnostics'
import type { ContainerName, StorePath } from '@davit/documents'
import { intendedIn, type UnsettledState, type Verb, verbTraits } from '@davit/target-runtime'

import type { KindTraits } from './kinds.ts'
import { type PlacedService, targetLabelOf } from './placed-service.ts'

export interface Place {
  readonly target: string
  readonly container: ContainerName
}

export type Reason =
  | { readonly kind: 'new' }
  | { readonly kind: 'changed-package'; readonly from: StorePath; readonly to: StorePath }
  | { readonly kind: 'changed-type'; readonly from: string; readonly to: string }
  | { readonly kind: 'changed-dependency'; readonly dependencies: readonly string[] }
  /** The key differs for an unknown reason. */
  | { readonly kind: 'changed-key' }
  | { readonly kind: 'moved'; readonly from: Place; readonly to: Place }
  /** The last generation has the mapping, but its target has no record of it. */
  | { readonly kind: 'missing' }
  /** An activity was interrupted, or failed and was not undone. */
  | { readonly kind: 'cut-off' | 'failed'; readonly was: UnsettledState }
  /** Recorded as active, but its module reports that it does not run. */
  | { readonly kind: 'died' }
  /** Recorded as active, but in an earlier boot of the machine. */
  | { readonly kind: 'rebooted' }
  /** Its record was altered. */
  | { readonly kind: 'damaged' }
  /** Names only: values may be secret. */
  | { readonly kind: 'changed-properties'; readonly names: readonly string[] }
  | { readonly kind: 'changed-connections'; readonly services: readonly string[] }
  | { readonly kind: 'changed-module' }
  | { readonly kind: 'removed' }
  /** Removed with everything else. */
  | { readonly kind: 'undeployed' }
  | { readonly kind: 'rollback' }
  /** An earlier run has transferred the state, and was cut off before it was restored. */
  | { readonly kind: 'not-restored' }
  /** The coordinator has the state of an earlier deployment. */
  | { readonly kind: 'kept' }

type Moved = KindTraits<unknown>['moved']

export function placeOf(placed: PlacedService): Place {
  return { target: targetLabelOf(placed), container: placed.mapping.container }
}

/** Text of a reason for people; `moved` says whether the other place of a moved service is its origin or its destination. */
export function renderReason(reason: Reason, moved: Moved): string {
  switch (reason.kind) {
    case 'changed-package':
      return `changed package: ${shortened(reason.from)} to ${shortened(reason.to)}`
    case 'changed-type':
      return `changed type: ${reason.from} to ${reason.to}`
    case 'changed-dependency':
      return `changed ${reason.dependencies.length === 1 ? 'dependency' : 'dependencies'}: ${reason.dependencies.join(', ')}`
    case 'moved':
      return renderMove(reason, moved)
    case 'cut-off':
    case 'failed':
      return `${verbTraits(intendedIn(reason.was) as Verb).noun} ${reason.kind === 'failed' ? 'failed' : 'was cut off'}`
    case 'changed-properties':
      return `container properties changed: ${reason.names.map(nameText).join(', ')}`
    case 'changed-connections':
      return `connectsTo changed: ${reason.services.join(', ')}`
    default:
      return PLAIN[reason.kind]
  }
}

const PLAIN = {
  new: 'new',
  'changed-key': 'changed key',
  missing: 'not found on its target',
  died: 'no longer running',
  rebooted: 'the machine was restarted',
  damaged: 'its record is damaged',
  'changed-module': 'module changed',
  removed: 'removed',
  undeployed: 'undeployed',
  rollback: 'rollback',
  'not-restored': 'its state was not restored yet',
  kept: 'kept since it was removed',
}

function renderMove({ from, to }: { readonly from: Place; readonly to: Place }, moved: Moved): string {
  const [word, place] = moved === 'from' ? ['moved from', from] : ['moved to', to]
  if (from.target === to.target) return `${word} container ${place.container}`
  return from.container === to.container ? `${word} ${place.target}` : `${word} ${place.container} on ${place.target}`
}

/** Shortens `/store/1234567….-web` to `1234567-web`. */
function shortened(path: StorePath): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dash = name.indexOf('-')
  return `${name.slice(0, Math.min(7, dash))}${name.slice(dash)}`
}
