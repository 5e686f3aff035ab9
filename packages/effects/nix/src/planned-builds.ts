import { DavitError } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Environment } from '@davit/process'
import { plainText } from './plain-text.ts'
import { runNix } from './run-nix.ts'
import { isStorePath } from './store-path.ts'

/** A number of paths that certainly fits on a command line. */
const PATHS_PER_CALL = 1000

/** Returns the derivations that Nix would build to realise these; it does not build what a cache has. */
export async function plannedBuilds(
  environment: Environment,
  derivations: readonly StorePath[],
): Promise<readonly StorePath[]> {
  const planned = new Set<StorePath>()
  for (let start = 0; start < derivations.length; start += PATHS_PER_CALL) {
    const paths = derivations.slice(start, start + PATHS_PER_CALL)
    const { exitCode, stderr } = await runNix({ argv: ['nix-store', '--realise', '--dry-run', ...paths], environment })
    if (exitCode !== 0) throw cannotPlan(stderr)
    for (const path of buildsIn(stderr)) planned.add(path)
  }
  return [...planned]
}

/** Parses lines such as "these 2 derivations will be built:", each followed by paths indented by two spaces. */
function buildsIn(text: string): readonly StorePath[] {
  const builds: StorePath[] = []
  let listed = false
  for (const line of plainText(text).split('\n')) {
    const path = /^ {2}(\S+)$/.exec(line)?.[1]
    if (path === undefined) listed = line.endsWith('will be built:')
    else if (listed && isStorePath(path)) builds.push(path)
  }
  return builds
}

function cannotPlan(stderr: string): DavitError {
  return new DavitError('cannot-realise', `Nix cannot determine what has to be built: ${plainText(stderr).trim()}`)
}
