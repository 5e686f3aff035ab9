import type { StorePath } from '@davit/documents'
import { type Isolation, limitsIn, PATH_OF_LAUNCH, type VisiblePath } from '@davit/isolation'
import { buildEnvironment, buildFiles, buildShell, variablesOf } from './build-environment.ts'
import { directInputs } from './build-output.ts'
import { closureOf } from './closure.ts'
import { outputPathOf } from './derivation.ts'
import { readDerivation } from './derivation-writer.ts'
import { buildPlace } from './build-place.ts'
import { refuseFetched } from './fetched-builds.ts'
import type { StoreContext } from './store-context.ts'
import { buildSizeLimit, type SizeLimit } from '../size-limit.ts'
import { type TimeLimit, timeLimitOf } from './time-limit.ts'

/** A machine without this half of the store, which can only run given commands. */
export interface BuildMachine {
  readonly isolation: Isolation
  /** What it has of the paths that builds see. */
  readonly visible: readonly VisiblePath[]
  readonly processors: number
  /** Where the directories of a build are made: `files`, and those of `WRITABLE`. */
  workspaceOf(output: StorePath): string
}

/** A build as such a machine has to run it, once everything that it needs is valid there. */
export interface RemoteBuild {
  readonly name: string
  readonly output: StorePath
  /** Whether the output is made in the workspace, in its directory `store`; in its own place otherwise. */
  readonly isAside: boolean
  readonly timeLimit: TimeLimit
  readonly sizeLimit: SizeLimit
  /** Account to give the directories to in which the build writes; absent if it runs as the account that starts it. */
  readonly account?: number
  /** Content of the directory `files`. */
  readonly files: ReadonlyMap<string, string | Uint8Array>
  /** Variables of its script, to explain a failure. */
  readonly variables: readonly string[]
  /** Command to run in the directory `build`; it sets the whole environment. */
  readonly argv: readonly string[]
}

export function remoteBuild(context: StoreContext, derivationPath: StorePath, machine: BuildMachine): RemoteBuild {
  const { registry, layout, environment } = context
  const derivation = readDerivation(context, derivationPath)
  refuseFetched(context, machine.isolation, [{ name: derivation.name, derivation: derivationPath }])
  const output = outputPathOf(layout.directory, derivation)
  const place = buildPlace(machine.isolation, {
    storeDirectory: layout.directory,
    workspace: machine.workspaceOf(output),
    inputs: closureOf(registry, directInputs(derivation)),
    network: derivation.network,
    visible: machine.visible,
    limits: limitsIn(environment),
  })
  const variables = { ...buildEnvironment(derivation, output, place), DAVIT_CORES: String(machine.processors) }
  return {
    name: derivation.name,
    output,
    isAside: place.standIn !== undefined,
    timeLimit: timeLimitOf(derivation),
    sizeLimit: buildSizeLimit(environment, derivation.sizeLimitBytes),
    ...(place.account === undefined ? {} : { account: place.account }),
    files: new Map<string, string | Uint8Array>([...buildFiles(derivation), ...place.files]),
    variables: variablesOf(derivation),
    argv: ['env', '-i', `PATH=${PATH_OF_LAUNCH}`, ...place.command(buildShell(place), variables)],
  }
}
