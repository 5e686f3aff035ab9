import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { tellFigure } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  coordinator,
  type Coordinator,
  generationText,
  type Outcome,
  type Started,
  succeeded,
} from '../harness/coordinator.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { type LedgerPlace, LedgerSystem } from '../harness/ledger.ts'
import { watchMemory } from '../harness/memory.ts'
import { deploy, writeModels } from '../harness/models.ts'
import type { TargetName } from '../harness/three-targets.ts'

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

/** Bytes of a state that is larger than the memory that a process may use. */
const LARGE = (all ? 2048 : 512) * 1024 * 1024

/** Every fault at every moment, or one fault at every third moment, from a random one on. */
const ROUNDS: readonly Round[] = MOMENTS.flatMap(([what, whose], index) =>
  FAULTS.filter((_, number) => all || isSampled(index, number)).map((fault) => ({ what, whose, fault })),
)

function isSampled(moment: number, fault: number): boolean {
  const turn = Math.floor(SEED / 3)
  return moment % 3 === SEED % 3 && fault === (Math.floor(moment / 3) * 2 + turn) % FAULTS.length
}

describe.skipIf(!HOSTS_POSSIBLE)(`state that moves between real hosts (DAVIT_FAULT_SEED=${SEED})`, () => {
  let set: TestHosts
  let user: Coordinator
  let system: LedgerSystem
  let environment: Readonly<Record<string, string>>
  let lasting: string
  let place: LedgerPlace = 'one'

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'sf' })
    user = await coordinator({ hosts: set })
    system = await LedgerSystem.on(set)
    // A host that boots has an empty /tmp.
    lasting = await mkdtemp('/var/tmp/davit-state-faults-')
    await chmod(lasting, 0o755)
    environment = {
      DAVIT_SSH_CONFIG: await impatientConfig(),
      DAVIT_STORE_DIR: join(lasting, 'store'),
      DAVIT_ANSWER_TIMEOUT: '6',
    }
    succeeded(await deploy(user, system.models(place), { environment }))
    // Larger than what a full disk has room for.
    system.write('x'.repeat(400_000))
    system.startClient()
  })
  afterAll(async () => {
    system?.stopClient()
    tellFigure(`state that moves: ${ROUNDS.length} rounds (seed ${SEED}), ${system?.confirmed.size} rows confirmed`)
    await set?.down()
    await user?.run(['sh', '-c', 'chmod -R u+w "$1"; rm -rf "$1"', 'sh', lasting])
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
    const way: Way = place === 'one' ? { old: 'one', new: 'two' } : { old: 'two', new: 'one' }
    const isDeletion = what === 'ledger.collect-garbage'
    const confirmed = [...system.confirmed]
    const { status, stderr } = await interrupt({ what, fault, target: { ...way, page: 'three' as const }[whose] }, way)
    expect(stderr).not.toMatch(/internal error|^ {4}at /m)
    const now = isDeletion ? way.new : way.old
    checkAfterwards(status, { confirmed, rows: system.rows(now), served: system.servedAt(), now, fault })

    succeeded(await deploy(user, system.models(way.new), { environment }))
    place = way.new
    await eventually('clients to be served', () => system.servedAt() === place)
    if (isDeletion) await deleteOld(way.old)
    system.stopClient()
    expect(system.rowsServed()).toEqual([...system.confirmed].toSorted())
    expect([system.marks(place), system.marks(way.old)]).toEqual([['activated'], isDeletion ? [] : ['garbage']])
    expect(succeeded(await deploy(user, system.models(place), { environment })).stderr).toContain('nothing to do')
    system.startClient()
  })

  /** Begins to move the state, and has the fault happen at its moment. */
  async function interrupt({ what, fault, target }: Strike, { new: next }: Way): Promise<Outcome> {
    const options = [
      ...(what === 'ledger.collect-garbage' ? ['--delete-state'] : []),
      ...(fault === 'hang' ? ['--activity-timeout', '4'] : []),
    ]
    const models = await writeModels(user, system.models(next))
    system.hook(target, what, fault === 'fail' ? 'fail' : 'wait')
    const run = user.start(['davit-env', ...models, ...options], { environment })
    await Promise.race([eventually(what, () => system.hasMet(target, what)), run.outcome])
    if (!system.hasMet(target, what)) throw new Error(`'${what}' did not begin: ${run.stderr()}`)
    await strike({ what, fault, target }, run)
    const outcome = await run.outcome
    await mend({ what, fault, target })
    return outcome
  }

  async function deleteOld(old: LedgerPlace): Promise<void> {
    const [before] = (await user.generations()).slice(-2)
    await user.write('old.json', await generationText(user, before ?? 0))
    succeeded(await user.run(['davit-delete-state', '-o', 'old.json'], { environment }))
    expect(system.rows(old)).toEqual([])
  }

  async function strike({ what, fault, target }: Strike, run: Started): Promise<void> {
    const host = system.host(target)
    if (fault === 'kill') process.kill(-run.process.pid!, 'SIGKILL')
    else if (fault === 'cut' || fault === 'reboot') await host.befall(fault)
    else if (fault === 'fill') await host.fill(0)
    if (fault !== 'hang') system.unhook(target, what)
  }

  async function mend({ what, fault, target }: Strike): Promise<void> {
    const host = system.host(target)
    if (fault === 'cut') await host.befall('join')
    else if (fault === 'fill') await host.befall('free')
    system.unhook(target, what)
  }

  test('is moved without being in memory, however large it is', async () => {
    const [old, next]: readonly LedgerPlace[] = place === 'one' ? ['one', 'two'] : ['two', 'one']
    const rows = '/var/lib/ledger/open'
    await system.host(old!).sh(`cd ${rows} && truncate -s ${LARGE} sparse && echo end >>sparse`)
    const run = user.start(['davit-env', ...(await writeModels(user, system.models(next!)))], { environment })
    const watch = watchMemory(set, run.process.pid!)
    succeeded(await run.outcome)
    const { processes, most } = watch.end()
    place = next!
    expect(await system.host(next!).sh(`cd ${rows} && stat -c %s sparse && tail -c 4 sparse`)).toBe(
      `${LARGE + 4}\nend\n`,
    )
    expect(Number(await system.host(next!).sh(`du -sk ${rows}/sparse | cut -f 1`))).toBeLessThan(1000)
    expect(processes).toBeGreaterThan(5)
    expect(most).toBeLessThan(200)
    tellFigure(`a state of ${LARGE} bytes: at most ${most} MB in one of ${processes} processes`)
  })
})

interface Way {
  readonly old: LedgerPlace
  readonly new: LedgerPlace
}

interface Strike extends Pick<Round, 'what' | 'fault'> {
  readonly target: TargetName
}

interface Found {
  /** Rows that were confirmed before the run. */
  readonly confirmed: readonly string[]
  /** Where the state has to be, and its rows. */
  readonly now: LedgerPlace
  readonly rows: readonly string[]
  /** Where clients find it. */
  readonly served: LedgerPlace | undefined
  readonly fault: Fault
}

/** Checks what the status of the interrupted run says. With 1, everything is as before, or only the deletion has failed. */
function checkAfterwards(status: number | null, { confirmed, now, rows, served, fault }: Found): void {
  expect([null, 0, 1, 2, 3, 69, 73]).toContain(status)
  expect(status === null).toBe(fault === 'kill')
  expect(confirmed.filter((row) => !rows.includes(row) && status !== 0)).toEqual([])
  expect(status === 1 ? [undefined, now] : [served]).toContain(served)
}
