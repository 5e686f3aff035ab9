import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Channel } from '@davit/connection'
import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import { type BuildMachine, HIDDEN, ISOLATIONS, type RemoteBuild, type StoreLayout } from '@davit/store'
import { buildServerScript } from '@davit/target-runtime'

import { afterMarker } from './after-marker.ts'
import { readLines } from './answer-lines.ts'
import type { Machine } from './machine.ts'
import { type BuildEnd, encodeRequest, endOf, machineOf } from './native-build-protocol.ts'
import { streamTail } from './stream-tail.ts'

/** A script on a machine that builds what it is told to, until it is closed (see `target-runtime/runtime/native-build.sh`). */
export interface BuildServer {
  readonly machine: BuildMachine
  build(build: RemoteBuild, listener: BuildListener): Promise<BuildEnd>
  /** Ends what is being built under this base name. */
  stop(name: string): void
  /** Ends all that it has started. */
  close(): Promise<void>
}

export interface BuildListener {
  /** Somebody else builds the same there. */
  waits(): void
  starts(): void
}

/** The signal only ends the opening. */
export async function openBuildServer(
  machine: Machine,
  layout: StoreLayout,
  signal: AbortSignal,
): Promise<BuildServer> {
  const marker = `davit-${randomBytes(12).toString('hex')}`
  const script = buildServerScript({
    marker,
    places: layout,
    isolations: ISOLATIONS.map(({ isolation, probe }) => [isolation.program, ...probe]),
    hidden: HIDDEN,
  })
  const channel = await machine.run(script)
  const lastWords = streamTail(channel.stderr)
  channel.stdin.on('error', () => {})
  const { filter, started } = afterMarker(marker)
  started.catch(() => {})
  const builds = new Map<string, RunningBuild>()
  let isReady = false
  const lost = new Promise<never>((_, reject) => {
    const lose = async (reason: unknown) => reject(lostBuilds(machine, reason, isReady ? '' : await lastWords()))
    pipeline(channel.stdout, filter).then(() => lose('its shell has ended'), lose)
    channel.exit.catch(lose)
  })
  lost.catch(() => {})
  const giveUp = () => channel.close()
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  try {
    const facts = await Promise.race([readFacts(filter, layout, (line) => takeLine(line, builds)), lost])
    isReady = true
    return serverOf({ channel, machine: facts, builds, lost })
  } catch (error) {
    channel.close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

interface RunningBuild {
  readonly listener: BuildListener
  readonly log: Buffer[]
  readonly resolve: (end: BuildEnd) => void
}

/** Resolves with what the machine is like once it is ready, from where on `take` is told the lines. */
function readFacts(stream: Readable, layout: StoreLayout, take: (line: string) => void): Promise<BuildMachine> {
  const facts: string[] = []
  let isReady = false
  return new Promise((resolve) => {
    readLines(stream, (line) => {
      if (isReady) return take(line)
      if (line !== 'ready') return void (facts.length < MAX_FACTS && facts.push(line))
      isReady = true
      resolve(machineOf(facts, layout))
    })
  })
}

const MAX_FACTS = 100

/** The script sends a quarter of it. */
const MAX_LOG_CHUNKS = 4096

function takeLine(line: string, builds: Map<string, RunningBuild>): void {
  const [verb = '', id = '', ...words] = line.split(' ')
  const build = builds.get(id)
  if (build === undefined) return
  if (verb === 'ended') builds.delete(id)
  EVENTS.get(verb)?.(build, words)
}

type BuildEvent = (build: RunningBuild, words: readonly string[]) => void

const EVENTS = new Map<string, BuildEvent>([
  ['waiting', ({ listener }) => listener.waits()],
  ['started', ({ listener }) => listener.starts()],
  [
    'log',
    ({ log }, [hexadecimal = '']) => void (log.length < MAX_LOG_CHUNKS && log.push(Buffer.from(hexadecimal, 'hex'))),
  ],
  ['ended', ({ log, resolve }, words) => resolve(endOf(words, Buffer.concat(log)))],
])

interface ReadyServer {
  readonly channel: Channel
  readonly machine: BuildMachine
  readonly builds: Map<string, RunningBuild>
  readonly lost: Promise<never>
}

const PATIENCE_MILLISECONDS = 10_000

function serverOf({ channel, machine, builds, lost }: ReadyServer): BuildServer {
  let count = 0
  return {
    machine,
    async build(build, listener) {
      count += 1
      const id = String(count)
      const ended = new Promise<BuildEnd>((resolve) => void builds.set(id, { listener, log: [], resolve }))
      channel.stdin.write(`${encodeRequest(id, build)}\n`)
      return Promise.race([ended, lost])
    },
    stop: (name) => void channel.stdin.write(`stop ${name}\n`),
    async close() {
      channel.stdin.end()
      await Promise.race([channel.exit, once(AbortSignal.timeout(PATIENCE_MILLISECONDS), 'abort')]).catch(() => {})
      channel.close()
    },
  }
}

/** Whatever was lost: the script has ended what it had started, or is about to. */
function lostBuilds({ address }: Machine, reason: unknown, lastWords: string): DavitError {
  const said = (/davit:\S+\n([^]*)/.exec(lastWords)?.[1] ?? lastWords).trim().split('\n').slice(-3).join('; ')
  const text = printable(said || (reason instanceof Error ? reason.message : String(reason)))
  const options = {
    exitStatus: ExitStatus.unreachable,
    hint: 'what was being built there is ended; run it again: what is complete there is not built anew',
    cause: reason,
  }
  if (reason instanceof DavitError && said === '') return new DavitError(reason.code, text, options)
  return new DavitError('build-lost', `cannot build on '${address}': ${text}`, options)
}
