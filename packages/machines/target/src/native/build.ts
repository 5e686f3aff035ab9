import { basename } from 'node:path'

import { type Report, printable } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { logEndOf, type NativeStore, type RemoteBuild, storeLayout, unsetVariableIn } from '@davit/store'

import type { Machine } from '../machine.ts'
import { say } from '../messages.ts'
import type { FailedBuild } from './build-protocol.ts'
import { type BuildServer, openBuildServer } from './build-server.ts'
import type { TargetBuildOptions, TargetBuildOutcome } from '../target-store.ts'

/** A machine that builds, and the coordinator's half of the store. */
export interface NativeBuildPlace {
  readonly machine: Machine<'carry'>
  readonly store: NativeStore
}

/** Builds on a machine; outputs wait outside the store for `fetchNatively`. No build is left running there when this ends. */
export async function buildNatively(
  { machine, store }: NativeBuildPlace,
  derivations: readonly StorePath[],
  { cores, report, signal }: TargetBuildOptions,
): Promise<readonly TargetBuildOutcome[]> {
  signal.throwIfAborted()
  if (derivations.length === 0) return []
  const server = await openBuildServer(
    machine,
    { layout: storeLayout(store.reference.directory), paths: store.buildPaths() },
    signal,
  )
  const stop = () => void server.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    reportIsolation(machine, server, report)
    const outcomes = new Map<StorePath, TargetBuildOutcome>()
    const waiting = [...new Set(derivations)]
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const build = await store.remoteBuild(next, server.machine)
        outcomes.set(next, await buildOne(server, build, { address: machine.address, report }))
      }
    }
    await Promise.all(Array.from({ length: Math.max(1, Math.min(cores, waiting.length)) }, work))
    return derivations.map((derivation) => outcomes.get(derivation) as TargetBuildOutcome)
  } finally {
    signal.removeEventListener('abort', stop)
    await server.close()
    signal.throwIfAborted()
  }
}

interface Telling {
  readonly address: string
  readonly report: Report
}

async function buildOne(
  server: BuildServer,
  build: RemoteBuild,
  { address, report }: Telling,
): Promise<TargetBuildOutcome> {
  const { timeLimit, output } = build
  let timer: NodeJS.Timeout | undefined
  let isLate = false
  try {
    const end = await server.build(build, {
      waits: () => report(say('target-build-awaited', { package: build.name, address })),
      starts() {
        timer = setTimeout(() => {
          isLate = true
          server.stop(basename(output))
        }, timeLimit.milliseconds)
      },
    })
    if (end.kind === 'built') return { kind: 'built' }
    const logEnd = logEndOf(end.log)
    const reason = isLate ? timeLimit.reason : reasonOf(end, build, logEnd)
    return { kind: 'failed', reason, logEnd }
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(end: FailedBuild, { sizeLimit, variables }: RemoteBuild, logEnd: string): string {
  switch (end.kind) {
    case 'status': {
      const trouble = end.message === '' ? '' : `, and nothing more can be written there (${end.message})`
      return printable(`ended with exit status ${end.status}${unsetVariableIn(logEnd, variables)}${trouble}`)
    }
    case 'missing':
      return 'ended without making $out'
    case 'large':
      return sizeLimit.reason
    case 'unusual':
      return printable(`made an unusual file: ${end.message}`)
    case 'error':
      return printable(`could not be run there: ${end.message}`)
  }
}

/** Machines whose missing isolation has been reported. */
const told = new WeakSet<Machine<'carry'>>()

function reportIsolation(machine: Machine<'carry'>, server: BuildServer, report: Report): void {
  const { kind } = server.machine.isolation
  if (kind === 'bubblewrap' || told.has(machine)) return
  told.add(machine)
  const { address } = machine
  report(say(kind === 'none' ? 'target-builds-not-isolated' : 'target-builds-half-isolated', { address }))
}
