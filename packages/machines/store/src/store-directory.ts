import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StoreReference } from '@davit/documents'
import type { Environment } from '@davit/process'

const NIX_STORE = '/nix/store'
const SYSTEM_STORE = '/var/lib/davit/store'
/** The pattern of `storeDirectory` in documents. */
const STORE_DIRECTORY = /^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9_.+-]+)+$/

export interface StoreDirectoryChoice {
  /** Whether the user is root. */
  readonly privileged: boolean
  /** Whether no other machine needs the same directory. */
  readonly onlyLocalTargets: boolean
}

/** The store that is used by default. Its directory is the same path on every machine of a deployment. */
export function defaultStore(
  kind: StoreReference['kind'],
  environment: Environment,
  choice: StoreDirectoryChoice,
): StoreReference {
  if (kind === 'native') return { kind, directory: defaultStoreDirectory(environment, choice) }
  return { kind, directory: storeDirectoryOf(environment['NIX_STORE_DIR'] || NIX_STORE) }
}

function defaultStoreDirectory(environment: Environment, choice: StoreDirectoryChoice): string {
  const { DAVIT_STORE_DIR, XDG_STATE_HOME, HOME } = environment
  if (DAVIT_STORE_DIR) return storeDirectoryOf(DAVIT_STORE_DIR)
  if (choice.privileged || !choice.onlyLocalTargets) return SYSTEM_STORE
  const stateHome = XDG_STATE_HOME?.startsWith('/') ? XDG_STATE_HOME : HOME && join(HOME, '.local', 'state')
  return stateHome ? storeDirectoryOf(join(stateHome, 'davit', 'store')) : SYSTEM_STORE
}

/** Refuses a directory that would not be valid on every machine. */
export function storeDirectoryOf(path: string): string {
  if (STORE_DIRECTORY.test(path)) return path
  throw new DavitError('bad-store-directory', `'${path}' is not a valid store directory`, {
    exitStatus: ExitStatus.usage,
    hint: 'set DAVIT_STORE_DIR to an absolute path whose names consist of letters, digits and _.+-',
  })
}
