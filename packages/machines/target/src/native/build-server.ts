import { once } from 'node:events'
import { relative } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { Channel } from '@davit/connection'
import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import { attempts, CANDIDATES, PROBE_INPUT } from '@davit/isolation'
import type { BuildMachine, RemoteBuild } from '@davit/store'
import { buildServerScript, encodeBytes, SLOW } from '@davit/target-runtime'

import { afterMarker, newMarker } from '../helper/after-marker.ts'
import type { Machine } from '../machine.ts'
import { type BuildListener, readFacts, type RunningBuild, type ServerFacts, takeLine } from './build-lines.ts'
import { type BuildEnd, type BuildTerms, encodeRequest } from './build-protocol.ts'
import { refusedAccount } from '../helper/refused-request.ts'
import { silentError, type SilenceWatch, watchSilence } from '../helper/silence.ts'
import { streamTail } from '../helper/stream-tail.ts'

/** A script on a machine that builds on request until it is closed (see `target-runtime/runtime/native-build.sh`). */
export interface BuildServer {
  readonly machine: BuildMachine
  build(build: RemoteBuild, listener: BuildListener): Promise<BuildEnd>
  /** Stops the build of the output with this base name. */
  stop(name: string): void
  /** Ends the script with all its builds. */
  close(): Promise<void>
}

/** Starts the script on a machine. The signal only aborts the start. */
export async function openBuildServer(
  machine: Machine<'carry'>,
  terms: BuildTerms,
  signal: AbortSignal,
): Promise<BuildServer> {
  const marker = newMarker()
  const channel = await machine.run(scriptFor(terms, marker))
  const lastWords = streamTail(channel.stderr)
  channel.stdin.on('error', () => {})
  const { filter, started } = afterMarker(marker)
  started.catch(() => {})
  const server: OpenServer = { channel, builds: new Map(), facts: undefined }
  const watch = watchServer(machine, server)
  filter.on('data', () => watch.heard())
  const lost = new Promise<never>((_, reject) => {
    const ended = pipeline(channel.stdout, filter).then(() => Promise.reject(new Error('its shell ended')))
    Promise.race([ended, channel.exit.then(() => ended)]).catch(async (reason: unknown) => {
      watch.stop()
      reject(await lossOf(server, { machine, terms, reason, lastWords }))
    })
  })
  lost.catch(() => {})
  const giveUp = () => channel.close()
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  try {
    const facts = await Promise.race([readFacts(filter, terms, (line) => takeLine(line, server.builds)), lost])
    server.facts = facts
    return serverOf({ ...server, facts }, { watch, lost })
  } catch (error) {
    channel.close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

interface OpenServer {
  readonly channel: Channel
  readonly builds: Map<string, RunningBuild>
  /** Set once the script is ready. */
  facts: ServerFacts | undefined
  /** Set when the script has been silent for too long. */
  silence?: DavitError
}

function scriptFor({ layout, paths }: BuildTerms, marker: string, predecessor?: string): string {
  const reach = { directory: layout.directory, name: relative(layout.directory, layout.incoming) }
  return buildServerScript({
    marker,
    places: layout,
    isolations: attempts({ reach, paths }).map(({ program, command }) => [program, ...command]),
    probeInput: encodeBytes(PROBE_INPUT),
    visible: [...CANDIDATES, ...paths],
    ...(predecessor === undefined ? {} : { predecessor }),
  })
}

/** A build may be silent, but the script that reports its end may not. Before it is ready, it may take long to clean up after others. */
function watchServer({ address, answerSeconds }: Machine<'carry'>, server: OpenServer): SilenceWatch {
  const isBuilding = () => server.facts !== undefined && server.builds.size > 0
  const watch = watchSilence({
    patience() {
      if (server.facts === undefined) return SLOW * answerSeconds
      return isBuilding() ? answerSeconds : undefined
    },
    askForLife: () => void (isBuilding() && server.channel.stdin.write('ping\n')),
    onSilence(seconds) {
      server.silence = silentError(address, seconds)
      server.channel.close()
    },
  })
  watch.heard()
  return watch
}

interface Loss {
  readonly machine: Machine<'carry'>
  readonly terms: BuildTerms
  readonly reason: unknown
  readonly lastWords: () => Promise<string>
}

async function lossOf(server: OpenServer, { machine, terms, reason, lastWords }: Loss): Promise<DavitError> {
  if (server.silence === undefined)
    return lostBuilds(machine, reason, server.facts === undefined ? await lastWords() : '')
  await replaceSilent(machine, terms, server)
  return server.silence
}

/** Starts another script, which ends the silent one: its builds would go on, and keep others waiting for the same outputs. */
async function replaceSilent(machine: Machine<'carry'>, terms: BuildTerms, { facts }: OpenServer): Promise<void> {
  const channel = await machine.run(scriptFor(terms, newMarker(), facts?.self)).catch(() => undefined)
  if (channel === undefined) return
  for (const output of [channel.stdout, channel.stderr]) output.on('error', () => {}).resume()
  channel.stdin.on('error', () => {}).end()
  await endOf(channel)
}

const PATIENCE_MILLISECONDS = 10_000

async function endOf(channel: Channel): Promise<void> {
  await Promise.race([channel.exit, once(AbortSignal.timeout(PATIENCE_MILLISECONDS), 'abort')]).catch(() => {})
  channel.close()
}

interface ServerEnd {
  readonly watch: SilenceWatch
  readonly lost: Promise<never>
}

function serverOf(
  { channel, builds, facts }: OpenServer & { readonly facts: ServerFacts },
  { watch, lost }: ServerEnd,
): BuildServer {
  let count = 0
  return {
    machine: facts.machine,
    async build(build, listener) {
      count += 1
      const id = String(count)
      const ended = new Promise<BuildEnd>((resolve) => void builds.set(id, { listener, log: [], resolve }))
      channel.stdin.write(`${encodeRequest(id, build)}\n`, () => watch.heard())
      return Promise.race([ended, lost])
    },
    stop: (name) => void channel.stdin.write(`stop ${name}\n`),
    async close() {
      channel.stdin.end()
      await endOf(channel)
      watch.stop()
    },
  }
}

/** The error for a lost script. It ends all its builds in any case. */
function lostBuilds({ address }: Machine<'carry'>, reason: unknown, lastWords: string): DavitError {
  const { message: said, remedy } = refusedAccount(lastWords) ?? { message: lastLines(lastWords) }
  const text = printable(said || (reason instanceof Error ? reason.message : String(reason)))
  const options = {
    exitStatus: ExitStatus.unreachable,
    hint: remedy ?? 'unfinished builds there are stopped; run the same command again: finished ones are not repeated',
    cause: reason,
  }
  if (reason instanceof DavitError && said === '') return new DavitError(reason.code, text, options)
  return new DavitError('build-lost', `cannot build on '${address}': ${text}`, options)
}

function lastLines(lastWords: string): string {
  const said = /davit:[\w-]{1,60}\n([^]*)/.exec(lastWords)?.[1] ?? lastWords
  return said.trim().split('\n').slice(-3).join('; ')
}
