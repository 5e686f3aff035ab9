import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Environment } from '@davit/process'
import { plainText } from './plain-text.ts'
import { runNix } from './run-nix.ts'

/**
 * Makes a link that keeps a valid path and its closure from being collected. Replaces an existing link, and creates the
 * directory of the link. Nix makes the link itself, so that no collection can come in between.
 */
export async function addNixRoot(environment: Environment, link: string, path: StorePath): Promise<void> {
  const { exitCode, stderr } = await runNix({
    argv: ['nix-store', '--realise', '--add-root', link, '--indirect', path],
    environment,
  })
  if (exitCode === 0) return
  throw new DavitError('cannot-add-root', `cannot add a root for '${path}': ${plainText(stderr).trim()}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: `check that '${link}' can be written; it keeps packages from being collected`,
  })
}
