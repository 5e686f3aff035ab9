// The loop over all points at which a deployment can be interrupted; scripts/faults says how it is called.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { allFaults, randomFrom, sampleFaults } from './choice.ts'
import { type Fault, nameOf, parseFault } from './fault.ts'
import type { Laboratory } from './laboratory.ts'
import { NO_INPUTS, tryInputs } from './inputs.ts'
import { isFailure, renderPoints, renderTally, runFaults } from './loop.ts'
import type { Points } from './points.ts'
import { trace } from './trace.ts'
import { openLaboratories } from './workshop.ts'

interface Choice {
  readonly seed: number
  /** Undefined for all. */
  readonly rounds: number | undefined
  /** How many at a time. */
  readonly jobs: number
  readonly extent: 'one-of-each' | 'every-signal'
  /** What the name of a fault has to contain. */
  readonly name: string
}

const say = (text: string) => process.stdout.write(`${text}\n`)
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
const choice = readChoice()
process.exitCode = await withInstallation((prefix) => tryFaults(prefix, choice))

function readChoice(): Choice {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        rounds: { type: 'string' },
        jobs: { type: 'string', default: '2' },
        'every-signal': { type: 'boolean', default: false },
      },
    })
    const { seed, rounds, jobs, 'every-signal': isEvery } = values
    return {
      seed: seed === undefined ? Date.now() % 1_000_000 : numberOf('seed', seed),
      rounds: rounds === undefined ? undefined : numberOf('rounds', rounds),
      jobs: numberOf('jobs', jobs),
      extent: isEvery ? 'every-signal' : 'one-of-each',
      name: positionals.join(' '),
    }
  } catch (error) {
    process.stderr.write(`faults: ${(error as Error).message}\nhint: scripts/faults --help\n`)
    process.exit(64)
  }
}

function numberOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} needs a number, not '${text}'`)
  return Number(text)
}

async function tryFaults(prefix: string, choice: Choice): Promise<number> {
  const one = parseFault(choice.name)
  const { laboratories, close } = await openLaboratories({ prefix, count: one === undefined ? choice.jobs : 1 })
  try {
    const faults = one === undefined ? await chosenFaults(laboratories[0]!, choice) : [one]
    const results = await runFaults(laboratories, faults, { say, isOver: () => interrupted })
    const inputs = isComplete(choice) ? await tryInputs() : NO_INPUTS
    say([renderTally(results), inputs.figures].join('\n').trimEnd())
    return statusOf(results.some(isFailure) || inputs.hasFailed)
  } finally {
    await close()
  }
}

function statusOf(hasFailed: boolean): number {
  if (interrupted) return 130
  return hasFailed ? 1 : 0
}

/** Then the readers of hostile input get theirs as well. */
function isComplete({ name, rounds }: Choice): boolean {
  return name === '' && rounds === undefined && !interrupted
}

async function chosenFaults(place: Laboratory, choice: Choice): Promise<readonly Fault[]> {
  const points = await trace(place)
  const faults = choose(points, choice)
  say(`seed ${choice.seed}; ${renderPoints(points)}; ${faults.length} rounds`)
  return faults
}

function choose(points: Points, { seed, rounds, name, extent }: Choice): readonly Fault[] {
  const random = randomFrom(seed)
  if (name === '' && rounds !== undefined) return sampleFaults(points, rounds, random)
  const matching = allFaults(points, random, extent).filter((fault) => nameOf(fault).includes(name))
  if (rounds === undefined || matching.length === 0) return matching
  return Array.from({ length: rounds }, () => matching[Math.floor(random() * matching.length)]!)
}

/** The first signal ends the loop after its round, the second at once. */
function stop(): void {
  if (interrupted) process.exit(130)
  interrupted = true
  say('interrupted: ending this round')
}

async function withInstallation(use: (prefix: string) => Promise<number>): Promise<number> {
  const { DAVIT_TEST_PREFIX: given } = process.env
  if (given) return use(given)
  const prefix = await mkdtemp(join(tmpdir(), 'davit-installed-'))
  try {
    const install = fileURLToPath(new URL('../../scripts/install', import.meta.url))
    await promisify(execFile)(install, ['--prefix', prefix])
    return await use(prefix)
  } finally {
    await rm(prefix, { recursive: true, force: true })
  }
}
