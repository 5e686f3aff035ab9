// The loop over all points at which a deployment can be interrupted; scripts/faults says how it is called.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Laboratory, laboratory } from './laboratory.ts'
import { isFailure, renderPoints, renderTally, runFaults } from './loop.ts'
import { allFaults, type Fault, nameOf, parseFault, type Points, randomFrom, sampleFaults } from './points.ts'
import { makeSystem } from './system.ts'

interface Choice {
  readonly seed: number
  /** Undefined for all. */
  readonly rounds: number | undefined
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
      options: { seed: { type: 'string' }, rounds: { type: 'string' } },
    })
    const { seed, rounds } = values
    return {
      seed: seed === undefined ? Date.now() % 1_000_000 : numberOf('seed', seed),
      rounds: rounds === undefined ? undefined : numberOf('rounds', rounds),
      name: positionals.join(' '),
    }
  } catch (error) {
    process.stderr.write(`faults: ${(error as Error).message}\nhint: scripts/faults --help\n`)
    process.exit(64)
  }
}

function numberOf(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${option} needs a number, not '${text}'`)
  return Number(text)
}

async function tryFaults(prefix: string, choice: Choice): Promise<number> {
  const system = await makeSystem(prefix)
  try {
    const place = laboratory(system)
    const results = await runFaults(place, await chosenFaults(place, choice), { say, isOver: () => interrupted })
    say(renderTally(results))
    if (interrupted) return 130
    return results.some(isFailure) ? 1 : 0
  } finally {
    await system.remove()
  }
}

async function chosenFaults(place: Laboratory, choice: Choice): Promise<readonly Fault[]> {
  const one = parseFault(choice.name)
  if (one !== undefined) return [one]
  const points = await place.trace()
  const faults = choose(points, choice)
  say(`seed ${choice.seed}; ${renderPoints(points)}; ${faults.length} rounds`)
  return faults
}

function choose(points: Points, { seed, rounds, name }: Choice): readonly Fault[] {
  const random = randomFrom(seed)
  if (name === '' && rounds !== undefined) return sampleFaults(points, rounds, random)
  const matching = allFaults(points, random).filter((fault) => nameOf(fault).includes(name))
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
