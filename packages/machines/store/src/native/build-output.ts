import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { hasCode, type Report } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { reasonOf } from '@davit/files'
import { limitsIn, visibleHere } from '@davit/isolation'
import { readMark } from './altered-marks.ts'
import { closureOf } from './closure.ts'
import { clearPlace } from './committer.ts'
import type { Derivation } from './derivation.ts'
import { describeOutput } from './describe-output.ts'
import { type BuilderResult, runBuilder } from './run-builder.ts'
import { sealRoot } from './normalize-tree.ts'
import { pathExists } from './path-exists.ts'
import type { StoreContext } from './store-context.ts'
import { logFile } from './store-layout.ts'
import { type StoreLock, withStoreLock } from './store-lock.ts'
import { say } from '../messages.ts'
import { buildSizeLimit, type SizeLimit } from '../size-limit.ts'
import { unsetVariableIn } from '../unset-variable.ts'
import { variablesOf } from './build-environment.ts'
import { withWorkspace } from './workspace.ts'

export interface BuildJob {
  readonly derivationPath: StorePath
  readonly derivation: Derivation
  readonly output: StorePath
}

export interface BuildOptions {
  readonly report: Report
  readonly signal: AbortSignal
}

export type BuildOutcome =
  | { readonly kind: 'built' }
  | { readonly kind: 'failed'; readonly reason: string; readonly logEnd: string; readonly logFile: string }

/** Makes an output with valid inputs valid: builds it, or waits for another process that builds it. */
export async function buildOutput(
  context: StoreContext,
  job: BuildJob,
  { report, signal }: BuildOptions,
): Promise<BuildOutcome> {
  const { layout, environment, registry } = context
  const onWait = (): void => {
    report(say('build-awaited', { package: job.derivation.name }))
  }
  return withStoreLock(basename(job.output), { layout, environment, signal, onWait }, async (lock) => {
    if (registry.find(job.output) !== undefined) return { kind: 'built' }
    return withWorkspace(layout, async (workspace) => {
      const aside = await makeRoom(context, job.output, workspace)
      try {
        return await buildIn(context, { ...job, workspace, lock, signal })
      } finally {
        if (registry.find(job.output) === undefined) restorePlace(context, { output: job.output, workspace, aside })
      }
    })
  })
}

/**
 * Clears the place of an output. One that was altered stays there until its replacement is built, or is set aside where builds write in
 * place; then returns where it is.
 */
async function makeRoom(context: StoreContext, output: StorePath, workspace: string): Promise<string | undefined> {
  const { layout } = context
  const { kind } = await context.isolation()
  if (kind === 'bubblewrap' && readMark(layout, output) !== undefined) return undefined
  return context.undisturbed(async () => clearPlace(layout, output, workspace))
}

interface FailedPlace {
  readonly output: StorePath
  readonly workspace: string
  /** Where the altered output is that was in its place. */
  readonly aside: string | undefined
}

/** Removes what a failed build has left, and puts back what was altered. */
function restorePlace({ layout }: StoreContext, { output, workspace, aside }: FailedPlace): void {
  if (aside === undefined) {
    if (readMark(layout, output) === undefined) clearPlace(layout, output, workspace)
    return
  }
  if (pathExists(output)) renameSync(output, join(workspace, 'failed-output'))
  renameSync(aside, output)
  sealRoot(output)
}

interface LockedJob extends BuildJob {
  readonly workspace: string
  readonly lock: StoreLock
  readonly signal: AbortSignal
}

async function buildIn(context: StoreContext, job: LockedJob): Promise<BuildOutcome> {
  const { layout, registry, environment } = context
  const inputs = closureOf(registry, directInputs(job.derivation))
  const log = logFile(layout, job.output)
  const sizeLimit = buildSizeLimit(environment, job.derivation.sizeLimitBytes)
  const result = await runBuilder({
    ...job,
    inputs,
    storeDirectory: layout.directory,
    isolation: await context.isolation(),
    visible: visibleHere(context.buildPaths()),
    limits: limitsIn(environment),
    logFile: log,
    sizeLimit,
    environment,
  })
  const failure = result.failure === undefined ? undefined : explained(job, { ...result, failure: result.failure })
  const reason = failure ?? (await registerOutput(context, job, { made: result.made, inputs, sizeLimit }))
  return reason === undefined ? { kind: 'built' } : { kind: 'failed', reason, logEnd: result.logEnd, logFile: log }
}

function explained({ derivation, workspace }: LockedJob, { failure, logEnd }: Required<BuilderResult>): string {
  return failure + unsetVariableIn(logEnd, variablesOf(derivation)) + troubleIn(workspace)
}

/** Reports a disk that cannot be written, since a build that fails on a full one may not. */
function troubleIn(workspace: string): string {
  const file = join(workspace, 'room')
  try {
    writeFileSync(file, Buffer.alloc(ROOM_BYTES))
    return ''
  } catch (error) {
    return `, and nothing more can be written there (${reasonOf(error)})`
  } finally {
    rmSync(file, { force: true })
  }
}

const ROOM_BYTES = 64 * 1024

interface MadeOutput {
  readonly made: string
  readonly inputs: readonly StorePath[]
  readonly sizeLimit: SizeLimit
}

/** Registers the output of a build; returns what is wrong with it, or nothing. */
async function registerOutput(
  { commit }: StoreContext,
  job: LockedJob,
  { made, inputs, sizeLimit }: MadeOutput,
): Promise<string | undefined> {
  if (!pathExists(made)) return 'ended without making $out'
  try {
    const registration = await describeOutput({ ...job, tree: made, inputs })
    if (registration.size > sizeLimit.bytes) return sizeLimit.reason
    job.signal.throwIfAborted()
    await commit([{ tree: made, registration }])
    return undefined
  } catch (error) {
    if (hasCode(error, 'unusual-file')) return `made an unusual file: ${error.message}`
    throw error
  }
}

export function directInputs({ sources, inputs }: Derivation): readonly StorePath[] {
  return [...sources.values(), ...[...inputs.values()].map(({ output }) => output)]
}
