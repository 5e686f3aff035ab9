import { type DavitErrorOptions, ExitStatus } from '@davit/diagnostics'

/** How an error ends in which Nix says that there is no space: what was asked of it is not to blame. */
export function fullDisk(text: string): Pick<DavitErrorOptions, 'exitStatus' | 'hint'> | undefined {
  if (!/no space left on device|disk is full/i.test(text)) return undefined
  const { cannotCreate: exitStatus } = ExitStatus
  return { exitStatus, hint: 'make space for the Nix store, and run the same command again' }
}
