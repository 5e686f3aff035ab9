import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Environment } from './tool-context.ts'

export interface StateOwner {
  readonly environment: Environment
  readonly privileged: boolean
}

/** Variables of tools that keep state. */
export const stateEnvironment = {
  DAVIT_STATE_DIR: 'where state is kept (default: /var/lib/davit for root, else $XDG_STATE_HOME/davit)',
} as const

export const COORDINATOR_VARIABLE = 'DAVIT_COORDINATOR_PROFILE_PATH'

/** Directory of what this coordinator remembers of deployments: `$DAVIT_COORDINATOR_PROFILE_PATH`, else below that of the state. */
export function coordinatorDirectory(owner: StateOwner): string {
  const { [COORDINATOR_VARIABLE]: directory } = owner.environment
  return directory ? absolute(directory, COORDINATOR_VARIABLE) : join(stateDirectory(owner), 'coordinator')
}

/** Directory of the state: `$DAVIT_STATE_DIR`, else `/var/lib/davit` for root and `$XDG_STATE_HOME/davit` for others. */
export function stateDirectory({ environment, privileged }: StateOwner): string {
  const { DAVIT_STATE_DIR: directory, XDG_STATE_HOME: stateHome, HOME: home } = environment
  if (directory) return absolute(directory, 'DAVIT_STATE_DIR')
  if (privileged) return '/var/lib/davit'
  // The XDG base directory specification says to ignore relative paths.
  if (stateHome?.startsWith('/')) return join(stateHome, 'davit')
  if (home?.startsWith('/')) return join(home, '.local', 'state', 'davit')
  throw new DavitError('no-state-directory', 'cannot tell where to keep state: HOME is not set', {
    exitStatus: ExitStatus.usage,
    hint: 'set DAVIT_STATE_DIR',
  })
}

function absolute(directory: string, variable: string): string {
  if (directory.startsWith('/')) return directory
  throw new DavitError('no-state-directory', `${variable} is not an absolute path: '${directory}'`, {
    exitStatus: ExitStatus.usage,
    hint: 'use an absolute path, so that every tool of a run finds the same directory',
  })
}
