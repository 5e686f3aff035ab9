import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isThorough, tellFigure } from '@davit/testing/effort'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { installFaulty } from '../faults/inject/build.ts'
import { pick, randomFrom } from '../faults/inject/choice.ts'
import { coordinator, type Coordinator, generationText, type Outcome, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { deployAsDisnix, PLACES_OF_ROOT, running, runningOn } from '../harness/original.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { takeJournal } from '../harness/services.ts'

const { DAVIT_FAULT_SEED: given, CI: inspection } = process.env
const SEED = Number(given || (inspection ? 11 : Date.now() % 1_000_000))
const ROUNDS = isThorough ? 200 : 1
const SIGNALS = ['KILL', 'KILL', 'KILL', 'TERM'] as const
const { profiles: PROFILES, dysnomia: DYSNOMIA, state: STATE } = PLACES_OF_ROOT
/** Relative to the root. */
const PLACES = [STATE, PROFILES, DYSNOMIA].map((path) => path.slice(1)).join(' ')

describe.skipIf(!NIX_POSSIBLE)('a deployment of Disnix, with davit ended at random points,', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let faulty: string
  let before: string
  let words: readonly string[]
  const random = randomFrom(SEED)

  const models = (): Models => ({
    services: { database: running('1', { deployState: true }), shop: running() },
    infrastructure: infrastructureOf([host]),
    distribution: { database: ['af1'], shop: ['af1'] },
  })
  const adopt = ['davit-adopt', 'infrastructure.nix']
  const originals = () =>
    host.sh(`cat ${PROFILES}/default/profilemanifest.xml; find ${DYSNOMIA} | sort; readlink -f ${PROFILES}/default`)
  /** Keeps what the host and the coordinator know, or goes back to it. */
  const keep = async () => {
    await host.sh(`cd / && tar -cf /srv/kept.tar $(ls -d ${PLACES} 2>/dev/null)`)
    succeeded(await user.bash('rm -rf kept; mkdir -p state; cp -a state kept'))
  }
  const goBack = async () => {
    await host.sh(`cd / && rm -rf ${PLACES} && tar -xf /srv/kept.tar`)
    succeeded(await user.bash('rm -rf state; cp -a kept state'))
  }
  const passed = async (command: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const log = join(user.directory, 'points')
    await rm(log, { force: true })
    const outcome = await user.run(command, { environment: { DAVIT_FAULT_LOG: log, ...environment } })
    return { outcome, points: (await readFile(log, 'utf8')).trimEnd().split('\n') }
  }
  const repeated = async (command: readonly string[]): Promise<Outcome> => {
    let outcome = await user.run(command)
    // The helper of the run that was killed may still finish what it was doing, and changes what this one has seen.
    for (let turn = 1; outcome.stderr.includes('[original-changed]') && turn < 5; turn += 1) {
      outcome = await user.run(command)
    }
    return outcome
  }
  /** Runs a command from the same beginning again and again, each time ended somewhere else, and repeated. */
  const rounds = async (command: readonly string[], judge: () => Promise<unknown>, wanted: unknown) => {
    await keep()
    const { outcome, points } = await passed(command)
    succeeded(outcome)
    for (let round = 1; round <= ROUNDS; round += 1) {
      await goBack()
      const [point, signal] = [pick(points, random), pick(SIGNALS, random)]
      const name = `${signal} at ${point}`
      const strike = { DAVIT_FAULT_POINT: point, DAVIT_FAULT_COMMAND: `kill -s ${signal} "$1"` }
      const struck = await passed(command, strike)
      expect([name, struck.points.some((line) => line === `${point} struck`)]).toEqual([name, true])
      expect([name, await takeJournal([host]), await runningOn(host)]).toEqual([name, [], before])
      const { status, stderr } = await repeated(command)
      expect([name, status, status === 0 ? '' : stderr]).toEqual([name, 0, ''])
      expect([name, await judge()]).toEqual([name, wanted])
      expect([name, await takeJournal([host]), await runningOn(host)]).toEqual([name, [], before])
    }
    tellFigure(`${command[0]} with Disnix (seed ${SEED}): ${ROUNDS} rounds, ${points.length} points`)
  }

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'af' })
    host = set.hosts[0]!
    faulty = await mkdtemp(join(tmpdir(), 'davit-faulty-'))
    await installFaulty(inject('prefix'), faulty)
    user = await coordinator({ hosts: set, language: 'Nix', prefix: faulty })
    await deployAsDisnix(user, host, models())
    words = await writeModels(user, models())
    before = await runningOn(host)
  }, 300_000)
  afterAll(async () => {
    await set?.down()
    await user?.remove()
    if (faulty) await rm(faulty, { recursive: true, force: true })
  })

  /** What davit knows in the end. */
  const known = async () => {
    const { stdout } = succeeded(await user.run(['davit-reconstruct', '--format', 'json', 'infrastructure.nix']))
    const { generations } = await profileOn(host)
    return {
      records: await activeOn([host]),
      isAsRecorded: stdout === (await generationText(user, 1)),
      generations: [generations, await user.generations()],
      plan: succeeded(await user.run(['davit-env', ...words, '--dry-run'])).stdout,
      again: succeeded(await user.run(adopt)).stderr.includes('nothing to adopt'),
      snapshots: (await user.run(['davit-snapshots', '--deployed', '--where', 'targets'])).stdout.includes('abc'),
      rubbish: await host.sh(`find ${STATE} -name '*.new*'`),
    }
  }

  test('is adopted whole by the same command', async () => {
    const original = await originals()
    const judge = async () => ({ ...(await known()), originals: await originals() })
    await rounds(adopt, judge, {
      records: ['af1 wrapper database', 'af1 wrapper shop'],
      isAsRecorded: true,
      generations: [[1], [1]],
      plan: 'nothing to do\n',
      again: true,
      snapshots: true,
      rubbish: '',
      originals: original,
    })
  }, 1_800_000)

  test('is given back whole by the same command', async () => {
    const judge = async () => {
      const { current } = await profileOn(host)
      const given = await originals()
      return [
        given.endsWith(`\n${current}\n`),
        ['shop', 'database'].every((name) => given.includes(`${DYSNOMIA}/activated/wrapper/${name}\n`)),
        given.includes('/garbage/wrapper/'),
        await known(),
      ]
    }
    await rounds(['davit-env', ...words, '--original-profile'], judge, [
      true,
      true,
      false,
      expect.objectContaining({ isAsRecorded: true, plan: 'nothing to do\n', again: true, rubbish: '' }),
    ])
  }, 1_800_000)
})
