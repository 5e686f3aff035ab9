// The loop over all points at which a deployment can be interrupted. scripts/faults describes its options.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseFault } from './inject/fault.ts'
import { NO_INPUTS, tryInputs } from './drive/inputs.ts'
import { isFailure, renderTally, runFaults } from './drive/loop.ts'
import { type Order, readOrder } from './drive/order.ts'
import { type Plan, planOf, resumedPlan } from './drive/plan.ts'
import type { RoundResult } from './drive/round.ts'
import { openLaboratories } from './drive/workshop.ts'

const USAGE = 64

const say = (text: string) => process.stdout.write(`${text}\n`)
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
const order = begun(() => readOrder(process.argv.slice(2)))
const resumed = begun(() => resumedPlan(order))
process.exitCode =
  resumed?.faults.length === 0
    ? await conclude(resumed, [])
    : await withInstallation((prefix) => tryFaults(prefix, order))

/** Reads what the loop is to do. Exits if that fails, before any host is brought up. */
function begun<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`faults: ${(error as Error).message}\nhint: scripts/faults --help\n`)
    process.exit(USAGE)
  }
}

async function tryFaults(prefix: string, order: Order): Promise<number> {
  const one = parseFault(order.name)
  const { laboratories, close } = await openLaboratories({ prefix, count: one === undefined ? order.jobs : 1 })
  try {
    const plan = resumed ?? (await planOf(laboratories, order, say))
    const results = await runFaults(laboratories, plan.faults, { say, isOver: () => interrupted, record: plan.record })
    return await conclude(plan, results)
  } finally {
    await close()
  }
}

async function conclude(plan: Plan, results: readonly RoundResult[]): Promise<number> {
  const inputs = plan.isWhole() && !interrupted ? await tryInputs() : NO_INPUTS
  say([renderTally(results), plan.renderSum(), inputs.figures].filter((text) => text !== '').join('\n'))
  if (interrupted) return 130
  return plan.hasFailed() || results.some(isFailure) || inputs.hasFailed ? 1 : 0
}

/** The first signal ends the loop after the current rounds, a second one immediately. */
function stop(): void {
  if (interrupted) process.exit(130)
  interrupted = true
  say('interrupted: ending the rounds that are under way')
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
