import type { Readable } from 'node:stream'

import type { BuildMachine } from '@davit/store'

import { readLines } from '../helper/answer-lines.ts'
import { type BuildEnd, type BuildTerms, endOf, machineOf, selfIn } from './build-protocol.ts'

export interface BuildListener {
  /** Another coordinator is building the same there. */
  waits(): void
  starts(): void
}

export interface RunningBuild {
  readonly listener: BuildListener
  readonly log: Buffer[]
  readonly resolve: (end: BuildEnd) => void
}

export interface ServerFacts {
  readonly machine: BuildMachine
  /** Process of the script, as it reports it. */
  readonly self: string | undefined
}

/** Resolves with the facts of a machine once it is ready; passes later lines to `take`. */
export function readFacts(stream: Readable, terms: BuildTerms, take: (line: string) => void): Promise<ServerFacts> {
  const facts: string[] = []
  let isReady = false
  return new Promise((resolve) => {
    readLines(stream, (line) => {
      if (isReady) return take(line)
      if (line !== 'ready') return void (facts.length < MAX_FACTS && facts.push(line))
      isReady = true
      resolve({ machine: machineOf(facts, terms), self: selfIn(facts) })
    })
  })
}

const MAX_FACTS = 100

/** Four times as many as the script sends. */
const MAX_LOG_CHUNKS = 4096

export function takeLine(line: string, builds: Map<string, RunningBuild>): void {
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
