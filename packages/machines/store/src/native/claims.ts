import { basename, dirname } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { contentPathOf } from './add-tree.ts'
import { closureOf } from './closure.ts'
import type { Registration } from './registration.ts'
import type { StoreContext } from './store-context.ts'
import { packageNameOf } from './store-path.ts'

/** Registrations that another machine claims; nothing in them is certain. */
export interface Claims {
  readonly paths: readonly StorePath[]
  /** Those of the paths and of all that they need. */
  readonly registrations: readonly Registration[]
}

/** The closure of claimed paths, references first. */
export interface ClaimedClosure {
  readonly paths: readonly StorePath[]
  /** Claims of those that have to be copied. */
  readonly missing: readonly Registration[]
}

/** Finds out what has to be copied. Of what is valid here, nothing is believed; but a false registration here gives way to a certain one. */
export function claimedClosure({ layout, registry }: StoreContext, { paths, registrations }: Claims): ClaimedClosure {
  const claims = new Map(registrations.map((claim) => [claim.path, claim]))
  const missing = new Map<StorePath, Registration>()
  const get = (path: StorePath): Registration => {
    const [own, claim] = [registry.find(path), claims.get(path)]
    if (own !== undefined && !disproves(layout.directory, claim, own)) return own
    if (claim === undefined) throw badCopy(`the other machine has '${path}' without all that it needs`)
    if (!isPossible(layout.directory, claim)) throw badCopy(`the registration of '${path}' is damaged`)
    missing.set(path, claim)
    return claim
  }
  const closure = closureOf({ get }, paths)
  return { paths: closure, missing: closure.flatMap((path) => missing.get(path) ?? []) }
}

function disproves(storeDirectory: string, claim: Registration | undefined, own: Registration): boolean {
  return claim !== undefined && claim.contentHash !== own.contentHash && isNamedByContent(storeDirectory, claim)
}

/** Whether a path is named by the content that is claimed, which is then certain: nothing else can have this name. */
export function isNamedByContent(storeDirectory: string, { path, contentHash }: Registration): boolean {
  return contentPathOf(storeDirectory, packageNameOf(path), contentHash) === path
}

export function badCopy(message: string): DavitError {
  return new DavitError('bad-copy', message, {
    exitStatus: ExitStatus.badDocument,
    hint: 'nothing was added; somebody or something has changed the store of the other machine',
  })
}

const NAME = /^[0-9a-z]{32}-[A-Za-z0-9_.+?=-]{1,211}$/
const HASH = /^sha256:[0-9a-f]{64}$/
const SYSTEM = /^[A-Za-z0-9_]+-[A-Za-z0-9_]+$/
const MAX_BYTES = 2 ** 40

function isPossible(storeDirectory: string, claim: Registration): boolean {
  const { path, contentHash, size, references, deriver = path, system } = claim
  return (
    [path, deriver, ...references].every((one) => dirname(one) === storeDirectory && NAME.test(basename(one))) &&
    HASH.test(contentHash) &&
    size >= 0 &&
    size <= MAX_BYTES &&
    (system === undefined || SYSTEM.test(system))
  )
}
