import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { tellFigure } from '@davit/testing/effort'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, generationText, type Started, succeeded } from './harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from './harness/hosts.ts'
import { type LedgerPlace, LedgerSystem, type TargetName } from './harness/ledger.ts'
import { deploy, writeModels } from './harness/models.ts'
import { eventually } from './harness/wait.ts'

/** What is interrupted, and on which host: the old one of the state, the new one, or that of what depends on it. */
const MOMENTS = [
  ['page.deactivate', 'page'],
  ['ledger.deactivate', 'old'],
  ['ledger.snapshot', 'old'],
  ['send', 'old'],
  ['receive', 'new'],
  ['ledger.activate', 'new'],
  ['ledger.restore', 'new'],
  ['page.activate', 'page'],
  ['ledger.collect-garbage', 'old'],
] as const
type What = (typeof MOMENTS)[number][0]

const FAULTS = ['kill', 'cut', 'fill', 'reboot', 'fail', 'hang'] as const
type Fault = (typeof FAULTS)[number]

interface Round {
  readonly what: What
  readonly whose: 'old' | 'new' | 'page'
  readonly fault: Fault
}

const { DAVIT_FAULT_SEED: given, DAVIT_TEST_ALL: all, CI: inspection } = process.env
const SEED = Number(given || (inspection ? 11 : Date.now() % 1_000_000))

/** Every fault at every moment, or a sample that has each moment, and each fault at least once. */
const ROUNDS: readonly Round[] = MOMENTS.flatMap(([what, whose], index) =>
  FAULTS.filter((_, number) => all || number === (index * 5 + SEED) % FAULTS.length).map((fault) => ({
    what,
    whose,
    fault,
  })),
)

describe.skipIf(!HOSTS_POSSIBLE)(`state that moves between real hosts (DAVIT_FAULT_SEED=${SEED})`, () => {
  let set: TestHosts
  let user: Coordinator
  let system: LedgerSystem
  let environment: Readonly<Record<string, string>>
  let place: LedgerPlace = 'one'

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'sf' })
    user = await coordinator({ hosts: set })
    system = await LedgerSystem.on(set)
    environment = { DAVIT_SSH_CONFIG: await impatientConfig(), DAVIT_ANSWER_TIMEOUT: '6' }
    succeeded(await deploy(user, system.models(place)))
    // Larger than what a full disk has room for.
    system.write('x'.repeat(400_000))
    system.startClient()
  })
  afterAll(async () => {
    system?.stopClient()
    tellFigure(`state that moves: ${ROUNDS.length} rounds (seed ${SEED}), ${system?.confirmed.size} rows confirmed`)
    await set?.down()
    await user?.remove()
  })

  /** With it, ssh notices a cut network within seconds. */
  async function impatientConfig(): Promise<string> {
    const file = join(user.directory, 'ssh_config')
    const options = ['Host *', '  ServerAliveInterval 1', '  ServerAliveCountMax 2', '  ConnectTimeout 2', '']
    await writeFile(file, [await readFile(join(set.directory, 'ssh_config'), 'utf8'), ...options].join('\n'))
    return file
  }

  test.each(ROUNDS)('is where the manifest says after $fault during $what', async ({ what, whose, fault }) => {
    const [old, next]: readonly LedgerPlace[] = place === 'one' ? ['one', 'two'] : ['two', 'one']
    const target = whose === 'page' ? 'three' : whose === 'old' ? old! : next!
    const isDeletion = what === 'ledger.collect-garbage'
    await eventually('a row', () => system.rows(old!).length > 0)
    const confirmed = [...system.confirmed]
    const options = [
      ...(isDeletion ? ['--delete-state'] : []),
      ...(fault === 'hang' ? ['--activity-timeout', '4'] : []),
    ]
    const models = await writeModels(user, system.models(next!))
    system.hook(target, what, fault === 'fail' ? 'fail' : 'wait')
    const first = user.start(['davit-env', ...models, ...options], { environment })
    await Promise.race([eventually(what, () => system.hasMet(target, what)), first.outcome])
    expect(system.hasMet(target, what), first.stderr()).toBe(true)
    await strike(fault, { target, what, first })
    const { status, stderr } = await first.outcome
    await mend(fault, target, what)
    expect(stderr).not.toMatch(/internal error|^ {4}at /m)
    checkAfterwards(status, {
      confirmed,
      rows: system.rows(isDeletion ? next! : old!),
      served: system.servedAt(),
      old,
      fault,
    })

    succeeded(await deploy(user, system.models(next!), { environment }))
    place = next!
    await eventually('clients to be served', () => system.servedAt() === next)
    if (isDeletion) await deleteOld()
    system.stopClient()
    expect(system.rowsServed()).toEqual([...system.confirmed].toSorted())
    expect([system.marks(next!), system.marks(old!)]).toEqual([['activated'], isDeletion ? [] : ['garbage']])
    expect(succeeded(await deploy(user, system.models(next!), { environment })).stderr).toContain('nothing to do')
    system.startClient()

    async function deleteOld() {
      const [before] = (await user.generations()).slice(-2)
      await user.write('old.json', await generationText(user, before ?? 0))
      succeeded(await user.run(['davit-delete-state', '-o', 'old.json'], { environment }))
      expect(system.rows(old!)).toEqual([])
    }
  })

  async function strike(fault: Fault, { target, what, first }: { target: TargetName; what: What; first: Started }) {
    const host = system.host(target)
    if (fault === 'kill') process.kill(-first.process.pid!, 'SIGKILL')
    else if (fault === 'cut' || fault === 'reboot') await host.befall(fault)
    else if (fault === 'fill') await host.fill(0)
    if (fault !== 'hang') system.unhook(target, what)
  }

  async function mend(fault: Fault, target: TargetName, what: What) {
    const host = system.host(target)
    if (fault === 'cut') await host.befall('join')
    else if (fault === 'fill') await host.befall('free')
    system.unhook(target, what)
  }
})

interface Found {
  /** Rows that were confirmed before the run. */
  readonly confirmed: readonly string[]
  /** Rows where they have to be, whatever has happened. */
  readonly rows: readonly string[]
  readonly served: LedgerPlace | undefined
  readonly old: LedgerPlace | undefined
  readonly fault: Fault
}

/** Checks what the status of the interrupted run says. With 1, everything is as before. */
function checkAfterwards(status: number | null, { confirmed, rows, served, old, fault }: Found): void {
  expect([null, 0, 1, 2, 3, 69, 73]).toContain(status)
  expect(status === null).toBe(fault === 'kill')
  expect(confirmed.filter((row) => !rows.includes(row) && status !== 0)).toEqual([])
  expect([undefined, old].includes(served) || status !== 1).toBe(true)
}
