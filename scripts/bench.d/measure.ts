import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { addTo, type Memory, NO_MEMORY } from './memory.ts'

export interface Measurement {
  readonly seconds: number
  /** Processor time in seconds, of the command and all its descendants. */
  readonly work: number
  readonly memory: Memory
}

export interface StartOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly directory: string
}

export interface MeasureOptions extends StartOptions {
  /** File for its standard output, which is discarded by default. */
  readonly output?: string
  /** Exit status that is expected; 0 by default. */
  readonly status?: number
  /** A process whose tree is measured separately from that of the command. */
  readonly elsewhere?: number
}

export interface FullMeasurement extends Measurement {
  readonly elsewhere: Memory
}

/** Interval between two measurements of memory. */
const SAMPLE_MS = 20
const MAX_ERRORS = 4_000
const MAX_COMMAND = 600

/** Runs and measures a command; rejects if it does not end as expected. */
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
  await endOf(child, command, options.status).finally(() => clearInterval(timer))
  return { seconds, work: childrensWork() - workBefore, memory, elsewhere }
}

/** Measures an empty program in Node.js. */
export async function measureNode(options: StartOptions): Promise<FullMeasurement> {
  return measure([process.execPath, '-e', '0'], options)
}

/** Returns the output of a command, without measuring it; rejects if it fails. */
export async function textOf(command: readonly string[], options: StartOptions): Promise<string> {
  const child = start(command, options, 'pipe')
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  await endOf(child, command)
  return Buffer.concat(chunks).toString()
}

/** Returns the processor time of all ended descendants of this process. The kernel counts in hundredths of a second. */
function childrensWork(): number {
  const [user = 0, system = 0] =
    readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').slice(13, 15).map(Number) ?? []
  return (user + system) / 100
}

function start(command: readonly string[], { directory, environment }: StartOptions, output: number | 'pipe') {
  const [program = '', ...args] = command
  return spawn(program, args, { cwd: directory, env: environment, stdio: ['ignore', output, 'pipe'] })
}

async function endOf(child: ChildProcess, command: readonly string[], expected = 0): Promise<void> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-MAX_ERRORS)))
  const status = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (status !== expected)
    throw new Error(`'${command.join(' ').slice(0, MAX_COMMAND)}' ended with ${status}:\n${errors}`)
}

/** Adds up measurements of commands that ran one after the other. */
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
