import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { deploy, makeManifest, type Models, writeModels } from '../harness/models.ts'
import { wrapper } from '../harness/services.ts'

describe('one deployment at a time, on this machine', () => {
  let user: Coordinator
  beforeAll(async () => void (user = await coordinator()))
  afterAll(() => user?.remove())
  afterEach(async () => {
    await user.run(['touch', 'go'])
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.yaml']))
    await user.run(['rm', '-f', 'go', 'journal', 'begun'])
  })

  const place = (more: object = {}) => ({ properties: { hostname: 'localhost' }, clientInterface: 'local', ...more })
  /** The activation of the database ends only once a file exists. */
  const models = (infrastructure: Models['infrastructure'] = { here: place(), beside: place() }): Models => {
    const at = (name: string) => join(user.directory, name)
    const called = `echo "$1 $DAVIT_SERVICE $DAVIT_TARGET" >> ${at('journal')}`
    const journal = at('calls')
    const waiting = `[ "$1" != activate ] || { : > ${at('begun')}; until [ -e ${at('go')} ]; do sleep 0.05; done; }`
    return {
      services: {
        database: wrapper({ body: `${called}\n${waiting}`, journal }),
        web: wrapper({ body: called, journal, env: { provider: '${database.name}' } }, { dependsOn: ['database'] }),
      },
      infrastructure,
      distribution: { database: ['here'], web: ['beside'] },
    }
  }
  const journal = async () =>
    (await readFile(join(user.directory, 'journal'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line.startsWith('activate'))
  const isThere = (name: string) => existsSync(join(user.directory, name))
  const began = () => eventually('the first activation', () => isThere('begun'))
  const go = () => user.run(['touch', 'go'])

  test('of two davit-env at the same time exactly one works; the other says who holds the lock, and since when', async () => {
    const options = await writeModels(user, models())
    const racers = [0, 1].map(() => user.start(['davit-env', ...options]))
    const loser = await Promise.race(racers.map(async (racer) => ({ racer, ...(await racer.outcome) })))
    expect([loser.status, loser.stderr]).toEqual([
      75,
      expect.stringMatching(/ is locked by \S+@\S+ \(process \d+\), since 20/),
    ])
    await began()
    await go()
    const winner = racers.find((racer) => racer !== loser.racer)
    succeeded(await winner!.outcome)
    expect(await journal()).toEqual(['activate database here', 'activate web beside'])
    const free = await user.run(['davit-lock', await makeManifest(user, models()), '--', 'true'])
    succeeded(free)
  })

  test('a run that loses the lock in the middle does nothing more', async () => {
    await makeManifest(user, models())
    const options = await writeModels(user, models())
    const running = user.start(['davit-env', ...options], { environment: { DAVIT_LOCK_LEASE: '600' } })
    await began()
    const refused = await user.run(['davit-lock', 'manifest.json'])
    const [, token = ''] = /davit-unlock -p default --id (\S+) -i INFRASTRUCTURE/.exec(refused.stderr) ?? []
    expect(refused.status).toBe(75)
    succeeded(await user.run(['davit-unlock', '--id', token, 'manifest.json']))
    await go()
    const { status, stderr } = await running.outcome
    // The holder notices at the next renewal, a tool that works under the lock at the next step, which was sooner.
    expect([status, stderr]).toEqual([1, expect.stringContaining('the lock was lost, and nothing more was done')])
    expect(stderr).toMatch(/lock .*gone/)
    expect(await journal()).toEqual(['activate database here'])
    succeeded(await deploy(user, models()))
    expect((await journal()).at(-1)).toBe('activate web beside')
  })

  test('a lock of one terminal is not used by another one, which does not keep the first from using it', async () => {
    await makeManifest(user, models())
    await go()
    const script = 'davit-lock manifest.json >/dev/null && touch held && until [ -e leave ]; do sleep 0.05; done'
    const first = user.start([
      'bash',
      '-c',
      `${script}; davit-activate manifest.json >/dev/null && davit-unlock manifest.json >/dev/null`,
    ])
    await eventually('the lock', () => isThere('held'))
    const second = await user.bash('davit-activate manifest.json; exit $?')
    expect([second.status, second.stderr]).toEqual([75, expect.stringContaining('davit-unlock')])
    expect(await journal()).toEqual([])
    await user.run(['touch', 'leave'])
    succeeded(await first.outcome)
    expect(await journal()).toEqual(['activate database here', 'activate web beside'])
  })

  test('with a target that cannot be reached nothing is done, or, if it is skipped, everything else', async () => {
    await go()
    const away = place({ clientInterface: 'ssh', properties: { hostname: '127.0.0.1:1' } })
    succeeded(await deploy(user, models()))
    await user.run(['rm', 'journal'])
    const later = { ...models({ here: place(), beside: away }) }
    const next = {
      ...later,
      services: {
        ...later.services,
        web: wrapper({ version: '2', journal: join(user.directory, 'calls') }, { dependsOn: ['database'] }),
      },
    }
    const refused = await deploy(user, next)
    expect([refused.status, refused.stderr]).toEqual([69, expect.stringContaining('--skip-unreachable')])
    const activation = await user.run(['davit-activate', await makeManifest(user, next)])
    expect([activation.status, activation.stderr]).toEqual([69, expect.stringContaining('--skip-unreachable')])

    const environment = { DAVIT_SKIP_UNREACHABLE: '1' }
    const skipped = succeeded(await deploy(user, next, { environment }))
    expect(skipped.stderr).toMatch(/\[beside\].*skipped, since it cannot be reached/)
    expect(skipped.stderr).toContain("'web' on 'beside' is not upgraded")
    await writeModels(user, models())
  })
})
