import { createInterface } from 'node:readline'
import type { StorePath } from '@davit/documents'
import type { Environment } from '@davit/process'
import { type BuildEvent, type BuildFailure, openBuildEvents } from './build-events.ts'
import { startNix } from './run-nix.ts'

export interface Realisation {
  readonly environment: Environment
  /** Builds at a time; without it, as Nix is configured. */
  readonly maxJobs?: number
  readonly signal: AbortSignal
  onEvent(event: BuildEvent): void
  /** Returns those of these derivations that have valid outputs. */
  isBuilt(derivations: readonly StorePath[]): Promise<ReadonlySet<StorePath>>
}

export interface RealisationOutcome {
  /** Failed builds. Builds that need them have not been tried. */
  readonly failures: readonly BuildFailure[]
  /** Other errors, in the words of Nix. */
  readonly problems: readonly string[]
}

/** Above about this number of goals, Nix takes more time for each. */
const BATCH_SIZE = 100

/**
 * Builds or fetches missing outputs of derivations, with the user's own settings of Nix. A failed build does not stop the
 * others. Throws the signal's reason when it is aborted; no builder is left behind.
 */
export async function realiseDerivations(
  derivations: readonly StorePath[],
  realisation: Realisation,
): Promise<RealisationOutcome> {
  const failures: BuildFailure[] = []
  const problems: string[] = []
  for (let start = 0; start < derivations.length; start += BATCH_SIZE) {
    const outcome = await realiseBatch(derivations.slice(start, start + BATCH_SIZE), realisation)
    failures.push(...outcome.failures)
    problems.push(...outcome.problems)
  }
  return { failures: distinct(failures), problems: [...new Set(problems)] }
}

async function realiseBatch(
  derivations: readonly StorePath[],
  { environment, maxJobs, signal, onEvent, isBuilt }: Realisation,
): Promise<RealisationOutcome> {
  const jobs = maxJobs === undefined ? [] : ['--max-jobs', String(maxJobs)]
  const program = ['nix-store', '--realise', '--keep-going', '--log-format', 'internal-json', ...jobs, ...derivations]
  const argv = ['sh', '-c', ENDING_WITH_US, ...program] as const
  const command = await startNix({ argv, environment, stdin: '', signal })
  command.stdout.resume()
  const events = openBuildEvents(onEvent)
  const settling = oneAtATime(() => events.settle(isBuilt))
  for await (const line of createInterface({ input: command.stderr })) {
    events.take(line)
    if (COUNTERS.test(line)) settling.again()
  }
  const exitCode = await command.exit
  signal.throwIfAborted()
  await settling.end()
  const { failures, problems, others } = events.end()
  if (exitCode === 0 || failures.length + problems.length > 0) return { failures, problems }
  return { failures, problems: [others.join('\n') || `nix-store ended with exit status ${exitCode}`] }
}

/** Ends Nix and its builds even when this process is killed, if the machine has `setpriv`. */
const ENDING_WITH_US =
  'setpriv --pdeathsig TERM true 2>/dev/null && exec setpriv --pdeathsig TERM "$0" "$@"; exec "$0" "$@"'

/** Entry with the numbers of builds that are done, expected, running and failed. */
const COUNTERS = /^@nix \{"action":"result","fields":\[\d+,\d+,\d+,\d+\]/

interface Repeated {
  /** Runs it, once more if it is already running. */
  again(): void
  /** Runs it a last time. */
  end(): Promise<void>
}

function oneAtATime(run: () => Promise<void>): Repeated {
  let wanted = false
  let running: Promise<void> | undefined
  const work = async (): Promise<void> => {
    while (wanted) {
      wanted = false
      await run()
    }
    running = undefined
  }
  const again = (): Promise<void> => {
    wanted = true
    running ??= work()
    return running
  }
  return {
    // `end` waits for it, and throws its error.
    again: () => void again().catch(() => {}),
    end: again,
  }
}

function distinct(failures: readonly BuildFailure[]): readonly BuildFailure[] {
  return [...new Map(failures.map((failure) => [failure.derivation, failure])).values()]
}
