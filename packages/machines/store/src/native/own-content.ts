import type { StorePath } from '@davit/documents'
import type { Registration } from './registration.ts'
import type { StoreContext } from './store-context.ts'

/** A path of which is known for certain that its content names it. */
export interface NamedContent {
  readonly path: StorePath
  readonly contentHash: string
  /** Missing if only the content is known for certain. */
  readonly references?: readonly StorePath[]
}

/**
 * Whether a path is valid with this content. Where another machine has claimed something else of it (see `addCopies`), that registration
 * is withdrawn, so that the path can be added anew.
 */
export function isContentValid({ registry }: Pick<StoreContext, 'registry'>, known: NamedContent): boolean {
  const registration = registry.find(known.path)
  if (registration === undefined) return false
  if (agrees(registration, known)) return true
  registry.withdraw(known.path)
  return false
}

function agrees(registration: Registration, { contentHash, references }: NamedContent): boolean {
  if (registration.contentHash !== contentHash) return false
  return references === undefined || isSameSet(registration.references, references)
}

function isSameSet(left: readonly StorePath[], right: readonly StorePath[]): boolean {
  const [one, other] = [new Set(left), new Set(right)]
  return one.size === other.size && [...one].every((path) => other.has(path))
}
