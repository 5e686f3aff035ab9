import { once } from 'node:events'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'

import { DavitError, type Report } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { type BuildEvent, openBuildEvents, saidByNix } from '@davit/nix'
import type { NixStore } from '@davit/store'

import type { Machine } from '../machine.ts'
import { type NixChannel, openNixChannel } from './channel.ts'
import { nixFailed } from './errors.ts'
import { nixFailures } from './failures.ts'
import { whileAlive } from '../helper/proof-of-life.ts'
import type { ShellTarget } from '../shell-target.ts'
import type { TargetBuildOptions, TargetBuildOutcome } from '../target-store.ts'

/** A machine that builds, and the coordinator's Nix store. */
export interface BuildPlace extends ShellTarget<'carry'> {
  readonly store: NixStore
}

/** Builds with the Nix of a machine. No build is left running there when this ends, however it ends. */
export async function buildWithNix(
  { name, machine, store }: BuildPlace,
  derivations: readonly StorePath[],
  { cores, report, signal }: TargetBuildOptions,
): Promise<readonly TargetBuildOutcome[]> {
  signal.throwIfAborted()
  if (derivations.length === 0) return []
  const events = openBuildEvents(reporter(name, { report, asked: new Set(derivations) }))
  const operation = { kind: 'build', jobs: cores } as const
  const channel = await openNixChannel(machine, operation, { takeLine: tolerant((line) => events.take(line)) })
  await realise(machine, channel, { derivations, signal })
  const unbuilt = await unbuiltOf({ machine, store }, derivations, signal)
  const failures = await nixFailures(machine, { derivations: unbuilt, summary: events.end(), signal })
  return derivations.map((derivation) => failures.get(derivation) ?? BUILT)
}

const BUILT: TargetBuildOutcome = { kind: 'built' }

/** Returns the outputs of derivations; throws if one of them is not built there. */
export async function builtOutputs(
  { machine, store }: Pick<BuildPlace, 'machine' | 'store'>,
  derivations: readonly StorePath[],
  signal: AbortSignal,
): Promise<readonly StorePath[]> {
  const outputs = [...(await store.outputs(derivations)).values()].flat()
  const valid = await validIn(machine, outputs, signal)
  const missing = outputs.find((path) => !valid.has(path))
  if (missing === undefined) return outputs
  throw new DavitError('not-built', `'${missing}' is not on '${machine.address}': it was not built there`)
}

interface Realisation {
  readonly derivations: readonly StorePath[]
  readonly signal: AbortSignal
}

async function realise(
  machine: Machine<'carry'>,
  channel: NixChannel,
  { derivations, signal }: Realisation,
): Promise<void> {
  const { stdin, stdout } = channel
  const stop = () => void endOf(channel)
  signal.addEventListener('abort', stop, { once: true })
  stdin.on('error', () => {})
  stdin.write(`${derivations.join('\n')}\n\n`)
  if (signal.aborted) stop()
  try {
    if ((await whileAlive(machine, textOf(stdout))) !== 'done\n') throw await endedEarly(machine, channel)
  } finally {
    signal.removeEventListener('abort', stop)
    await endOf(channel)
    signal.throwIfAborted()
  }
}

async function textOf(stdout: Readable): Promise<string> {
  let said = ''
  for await (const chunk of stdout) said = `${said}${String(chunk)}`.slice(-MAX_SAID)
  return said
}

const MAX_SAID = 100
/** Long enough for Nix to end its builders. */
const PATIENCE_MS = 10_000

/** Closes the input of the script, which then ends once all its processes have ended. */
async function endOf({ stdin, exit, close }: NixChannel): Promise<void> {
  stdin.end()
  await Promise.race([exit, once(AbortSignal.timeout(PATIENCE_MS), 'abort')]).catch(() => {})
  close()
}

async function endedEarly({ address }: Machine<'carry'>, { stdin, lastWords }: NixChannel): Promise<DavitError> {
  stdin.end()
  return nixFailed(address, { status: 1, lastWords: await lastWords() })
}

async function unbuiltOf(
  { machine, store }: Pick<BuildPlace, 'machine' | 'store'>,
  derivations: readonly StorePath[],
  signal: AbortSignal,
): Promise<readonly StorePath[]> {
  const outputs = await store.outputs(derivations)
  const valid = await validIn(machine, [...outputs.values()].flat(), signal)
  return derivations.filter((derivation) => outputs.get(derivation)?.every((path) => valid.has(path)) !== true)
}

function validIn(
  machine: Machine<'carry'>,
  paths: readonly StorePath[],
  signal: AbortSignal,
): Promise<ReadonlySet<StorePath>> {
  return machine.nixStore.use(signal, (client) => client.validPaths(paths, { keep: true }))
}

interface Reporting {
  readonly report: Report
  /** Derivations whose steps the caller reports. */
  readonly asked: ReadonlySet<StorePath>
}

/** Reports what Nix does on a target beyond the requested builds, as steps of the target. */
function reporter(target: string, { report, asked }: Reporting): (event: BuildEvent) => void {
  return (event) => {
    if (event.kind === 'said') return report(saidByNix(event, target))
    const [verb, path] = 'path' in event ? ['fetch', event.path] : ['build', event.derivation]
    if (asked.has(path)) return
    const step = { id: `${verb} ${target} ${path}`, target, step: `${verb} ${nameOf(path)}` }
    if (event.kind === 'failed') report({ kind: 'failed', ...step, message: event.reason, log: event.logEnd })
    else report({ kind: BEGINNINGS.has(event.kind) ? 'started' : 'finished', ...step })
  }
}

const BEGINNINGS: ReadonlySet<BuildEvent['kind']> = new Set(['started', 'fetching'])

/** Returns the name of a package without its hash. */
function nameOf(path: StorePath): string {
  return basename(path)
    .replace(/^[0-9a-z]{32}-/, '')
    .replace(/\.drv$/, '')
}

/** Ignores lines that do not come from Nix, since another machine may print anything. */
function tolerant(take: (line: string) => void): (line: string) => void {
  return (line) => {
    try {
      take(line)
    } catch {
      // Not a line of Nix.
    }
  }
}
