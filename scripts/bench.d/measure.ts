import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { addTo, type Memory, NO_MEMORY } from './memory.ts'

export interface Measurement {
  readonly seconds: number
  /** Seconds of all processors, of the command and all its descendants. */
  readonly work: number
  readonly memory: Memory
}

export interface StartOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly directory: string
}

export interface MeasureOptions extends StartOptions {
  /** Where its standard output goes; nowhere without. */
  readonly output?: string
  /** Processes whose trees count apart from that of the command. */
  readonly elsewhere?: number
}

export interface FullMeasurement extends Measurement {
  readonly elsewhere: Memory
}

/** Every so many milliseconds memory is looked at. */
const SAMPLE_MS = 20
const MAX_ERRORS = 4_000
const MAX_COMMAND = 600

/** Runs a command that is to succeed. */
export async function measure(command: readonly string[], options: MeasureOptions): Promise<FullMeasurement> {
  const output = openSync(options.output ?? '/dev/null', 'w')
  const [began, workBefore] = [performance.now(), childrensWork()]
  const child = start(command, options, output)
  closeSync(output)
  let seconds = 0
  child.once('exit', () => (seconds = (performance.now() - began) / 1000))
  let memory = NO_MEMORY
  let elsewhere = NO_MEMORY
  const timer = setInterval(() => {
    memory = addTo(memory, child.pid)
    elsewhere = addTo(elsewhere, options.elsewhere)
  }, SAMPLE_MS)
  await successOf(child, command).finally(() => clearInterval(timer))
  return { seconds, work: childrensWork() - workBefore, memory, elsewhere }
}

/** What a command prints that is to succeed; not measured. */
export async function textOf(command: readonly string[], options: StartOptions): Promise<string> {
  const child = start(command, options, 'pipe')
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  await successOf(child, command)
  return Buffer.concat(chunks).toString()
}

/** Of all children of this process that have ended, and their own; the kernel counts in hundredths. */
function childrensWork(): number {
  const [user = 0, system = 0] =
    readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').slice(13, 15).map(Number) ?? []
  return (user + system) / 100
}

function start(command: readonly string[], { directory, environment }: StartOptions, output: number | 'pipe') {
  const [program = '', ...args] = command
  return spawn(program, args, { cwd: directory, env: environment, stdio: ['ignore', output, 'pipe'] })
}

async function successOf(child: ChildProcess, command: readonly string[]): Promise<void> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-MAX_ERRORS)))
  const status = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (status !== 0) throw new Error(`'${command.join(' ').slice(0, MAX_COMMAND)}' ended with ${status}:\n${errors}`)
}

/** One after the other of one measured thing. */
export function together(parts: readonly Measurement[]): Measurement {
  return {
    seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
    work: parts.reduce((sum, { work }) => sum + work, 0),
    memory: {
      tree: Math.max(...parts.map(({ memory }) => memory.tree)),
      biggest: Math.max(...parts.map(({ memory }) => memory.biggest)),
    },
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length / 2
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}
