import { readFileSync } from 'node:fs'
import { sampleOf } from '@davit/testing/effort'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, type Models, writeModels } from '../harness/models.ts'
import { deployAsDisnix, PLACES_OF_ROOT, running, runningOn } from '../harness/original.ts'
import { activeOn, profileOn } from '../harness/records.ts'
import { takeJournal } from '../harness/services.ts'

const { profiles: PROFILES, dysnomia: DYSNOMIA } = PLACES_OF_ROOT

const PAGE = readFileSync(new URL('../../docs/adopt.md', import.meta.url), 'utf8')
const ENV = 'davit-env -s services.nix -i infrastructure.nix -d distribution.nix'

describe.skipIf(!NIX_POSSIBLE)('a deployment of Disnix on a host', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator
  let before: string

  const models = (version?: string): Models => ({
    services: { database: running('1', { deployState: true }), shop: running(version) },
    infrastructure: infrastructureOf([host]),
    distribution: { database: ['ad1'], shop: ['ad1'] },
  })
  /** Types a command of the page about this. */
  const type = (command: string) => {
    expect(PAGE).toContain(`\n${command}\n`)
    return user.bash(command)
  }
  const pids = () => runningOn(host)
  const originals = () => host.sh(`cd ${PROFILES} && ls && cat default/profilemanifest.xml && find ${DYSNOMIA} | sort`)

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'ad' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, language: 'Nix' })
    await deployAsDisnix(user, host, models())
    before = await pids()
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('keeps davit from starting its services once more', async () => {
    expect(before.trim().split('\n')).toHaveLength(2)
    for (const options of sampleOf([['--dry-run'], []], 1)) {
      const refused = await deploy(user, models(), { options })
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain(
        "'shop' in container 'wrapper' on 'ad1' is in the deployment 'default' of Disnix",
      )
      expect(refused.stderr).toContain('[original-deployment]')
    }
    expect([await takeJournal([host]), await pids()]).toEqual([[], before])
  })

  test('is adopted while it runs, and the same models then change nothing', async () => {
    const original = await originals()
    expect(succeeded(await type('davit-adopt --dry-run infrastructure.nix')).stdout).toContain(
      "'shop' in container 'wrapper'",
    )
    expect(await activeOn([host])).toEqual([])
    succeeded(await type('davit-adopt infrastructure.nix'))
    expect(await activeOn([host])).toEqual(['ad1 wrapper database', 'ad1 wrapper shop'])
    expect(succeeded(await type(`${ENV} --dry-run`)).stdout).toBe('nothing to do\n')
    const adopted = await generationText(user, 1)
    succeeded(await deploy(user, models()))
    expect(await user.generations()).toEqual([1])
    expect(await generationText(user, 1)).toBe(adopted)
    expect(succeeded(await type('davit-adopt infrastructure.nix')).stderr).toContain('nothing to adopt')
    expect([await takeJournal([host]), await pids(), await originals()]).toEqual([[], before, original])
    expect(succeeded(await user.run(['davit-snapshots', '--deployed', '--where', 'targets'])).stdout).toContain('abc')
  })

  test('is left alone by davit while Disnix is at work', async () => {
    await host.sh(': >/tmp/disnix-default.lock')
    for (const [version, ...options] of sampleOf([['2'], ['2', '--dry-run'], ['2', '--original-profile'], ['1']], 1)) {
      const refused = await deploy(user, models(version), { options })
      expect([refused.status, refused.stderr]).toEqual([
        75,
        expect.stringContaining("target 'ad1': the lock '/tmp/disnix-default.lock' is there"),
      ])
    }
    await host.sh('rm /tmp/disnix-default.lock')
    expect([await takeJournal([host]), await pids()]).toEqual([[], before])
  })

  test('is locked for Disnix while davit works', async () => {
    const locks = () => host.sh('ls /tmp | grep disnix- || :')
    succeeded(await user.bash('davit-generations --current >manifest.json && davit-lock manifest.json >/dev/null'))
    expect(await locks()).toBe('disnix-default.lock\n')
    succeeded(await user.bash('davit-unlock manifest.json >/dev/null'))
    expect(await locks()).toBe('')
  })

  test('is changed by davit, and given back', async () => {
    await writeModels(user, models('2'))
    succeeded(await type(`${ENV} --original-profile`))
    expect(await takeJournal([host])).toEqual(['deactivate shop 1 wrapper', 'activate shop 2 wrapper'])
    const { current, manifest } = await profileOn(host)
    const given = await originals()
    expect(await host.sh(`readlink -f ${PROFILES}/default`)).toBe(`${current}\n`)
    expect(given).toContain('default-2-link')
    expect(given).toContain(manifest)
    expect(given).toContain(`${DYSNOMIA}/activated/wrapper/shop\n`)
    succeeded(await type(`${ENV} --original-profile`))
    expect(await originals()).toBe(given)
    expect(await takeJournal([host])).toEqual([])
  })

  test('is rolled back by davit, for Disnix as well', async () => {
    succeeded(await type('davit-env --rollback --original-profile'))
    expect(await takeJournal([host])).toEqual(['deactivate shop 2 wrapper', 'activate shop 1 wrapper'])
    const { current } = await profileOn(host)
    expect(await host.sh(`readlink -f ${PROFILES}/default`)).toBe(`${current}\n`)
  })
})

describe.skipIf(!NIX_POSSIBLE)('two deployments of Disnix on a host that share a service', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator

  const ofDefault = (version?: string): Models => ({
    services: { database: running('1', { deployState: true }), shop: running(version) },
    infrastructure: infrastructureOf([host]),
    distribution: { database: ['as1'], shop: ['as1'] },
  })
  const withoutIt = (models: Models): Models => ({ ...models, distribution: { shop: ['as1'] } })
  const ofOther = (version?: string): Models => ({
    services: { database: running('1', { deployState: true }), page: running(version) },
    infrastructure: infrastructureOf([host]),
    distribution: { database: ['as1'], page: ['as1'] },
  })
  const other = ['-p', 'other']
  const databases = () => runningOn(host, 'database')

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'as' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set, language: 'Nix' })
    await deployAsDisnix(user, host, ofDefault())
    await deployAsDisnix(user, host, ofOther(), { profile: 'other' })
    for (const options of [[], other]) succeeded(await user.run(['davit-adopt', ...options, 'infrastructure.nix']))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('are adopted, and each is changed without a word to the other', async () => {
    const before = await databases()
    expect(before).not.toBe('')
    succeeded(await deploy(user, ofOther('2'), { options: other }))
    succeeded(await deploy(user, ofDefault('2')))
    expect(await takeJournal([host])).toEqual([
      'deactivate page 1 wrapper',
      'activate page 2 wrapper',
      'deactivate shop 1 wrapper',
      'activate shop 2 wrapper',
    ])
    expect(await databases()).toBe(before)
  })

  test('keep it running while either has it', async () => {
    const before = await databases()
    for (const options of sampleOf([['--dry-run'], []], 1)) {
      const refused = await deploy(user, withoutIt(ofDefault('3')), { options })
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('[shared-service]')])
      expect(refused.stderr).toContain("'database' in 'wrapper' on 'as1' is also 'database' of profile 'other'")
    }
    const undeploying = await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.nix'])
    const [, command = ''] = /hint: nothing was done; '(davit-env --abandon [^']*)'/.exec(undeploying.stderr) ?? []
    expect(await takeJournal([host])).toEqual([])
    succeeded(await user.bash(command))
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.nix']))
    expect([await takeJournal([host]), await databases()]).toEqual([['deactivate shop 2 wrapper'], before])
    expect(succeeded(await deploy(user, ofOther('2'), { options: [...other, '--dry-run'] })).stdout).toBe(
      'nothing to do\n',
    )
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'infrastructure.nix', ...other]))
    expect(await databases()).toBe('')
  })
})
