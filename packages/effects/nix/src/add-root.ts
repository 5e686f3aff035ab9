import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Environment } from '@davit/process'
import { plainText } from './plain-text.ts'
import { runNix } from './run-nix.ts'

/**
 * Makes a link to a valid path that keeps it, with its closure, from being collected, in place of a link that was there.
 * Nix makes it itself, so that no collection comes in between; its directory is made.
 */
export async function addNixRoot(environment: Environment, link: string, path: StorePath): Promise<void> {
  const { exitCode, stderr } = await runNix({
    argv: ['nix-store', '--realise', '--add-root', link, '--indirect', path],
    environment,
  })
  if (exitCode === 0) return
  throw new DavitError('cannot-add-root', `cannot keep '${path}': ${plainText(stderr).trim()}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: `check that '${link}' can be written; it keeps packages from being collected`,
  })
}
