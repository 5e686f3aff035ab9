import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { systemErrorCode } from '@davit/files'
import type { Environment } from '@davit/process'

/** Directory of roots: among those of Nix or, if they cannot be written, in the user's state. Nix must have made its state directory. */
export function rootsDirectory(environment: Environment): string {
  const nixRoots = join(environment['NIX_STATE_DIR'] || '/nix/var/nix', 'gcroots')
  const own = join(nixRoots, 'davit')
  return (isWritable(own) ?? isWritable(nixRoots)) === true ? own : join(stateHome(environment), 'davit', 'nix-roots')
}

function stateHome({ XDG_STATE_HOME, HOME }: Environment): string {
  if (XDG_STATE_HOME?.startsWith('/')) return XDG_STATE_HOME
  if (HOME) return join(HOME, '.local', 'state')
  throw new DavitError('no-state-directory', 'no directory for roots, which keep packages from being collected', {
    exitStatus: ExitStatus.cannotCreate,
    hint: 'set HOME or XDG_STATE_HOME',
  })
}

/** Whether a directory can be written; nothing if it does not exist. */
function isWritable(directory: string): boolean | undefined {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? undefined : false
  }
}
