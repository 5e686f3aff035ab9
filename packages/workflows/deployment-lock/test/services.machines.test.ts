import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type {
  ContainerName,
  ManifestService,
  SecretProperty,
  ServiceKey,
  ServiceName,
  StorePath,
  TargetName,
} from '@davit/documents'
import { type Machine, performActivity, releaseLock } from '@davit/target'
import { describe, expect, test } from 'vitest'

import { acquireLocks, endDeployment, readLockRecord } from '../src/deployment-lock.ts'
import { formerTargets } from '../src/former-targets.ts'
import { lockServices, unlockServices } from '../src/service-locks.ts'
import { placeOf, profile, Scene, termsOf } from './scene.ts'

const scene = new Scene()

interface WithSecrets {
  readonly machine: Machine
  readonly secrets: ReadonlyMap<string, SecretProperty>
}

describe('services', () => {
  const service: ManifestService = {
    name: 'web' as ServiceName,
    pkg: '/store/00000000000000000000000000000000-web' as StorePath,
    type: 'module',
    dependsOn: [],
    connectsTo: [],
    providesContainers: new Map(),
  }
  /** A module that records its calls, and refuses `lock` while there is a file `busy`. */
  const activate = async (index: number, key = 'key', { machine, secrets }: Partial<WithSecrets> = {}) => {
    const file = join(scene.directory, `module${index}`)
    const script = `echo "$1" >>"$0.asked"; [ "$1" != lock ] || [ ! -e '${scene.directory}/busy' ] || { echo I am busy; exit 1; }`
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    await performActivity(machine ?? scene.at(index).machine, {
      profile,
      token: '-',
      activity: 'activate',
      mapping: { target: scene.at(index).name, service: key as ServiceKey, container: 'c' as ContainerName },
      definition: { service, module: file, properties: new Map(), ...(secrets === undefined ? {} : { secrets }) },
    })
  }
  test('that lie under a name that a machine had before are found', async () => {
    await Promise.all([activate(0), activate(1)])
    const [first, second] = [scene.at(0), scene.at(1)]
    expect(await formerTargets(scene.targets, profile)).toEqual([])
    const now = [{ ...first, name: 'new' as TargetName }, { ...first, name: 'beside' as TargetName }, second]
    expect(await formerTargets(now, profile)).toEqual([{ name: 't1', at: 'new', machine: first.machine }])
  })

  const asked = (index: number) => readFileSync(join(scene.directory, `module${index}.asked`), 'utf8')

  test('are all asked, and unlocked again when one refuses', async () => {
    await Promise.all([activate(0), activate(1)])
    const terms = termsOf('mine')
    await acquireLocks(scene.targets, terms)
    await lockServices(scene.targets, terms)
    writeFileSync(join(scene.directory, 'busy'), '')
    const refused = lockServices(scene.targets, terms)
    await expect(refused).rejects.toMatchObject({
      code: 'lock-refused',
      exitStatus: 1,
      message: "'web' on 't1', 'web' on 't2' cannot be changed now",
      hint: expect.not.stringContaining('--no-lock'),
      cause: {
        message: [1, 2].map((n) => `'web' on 't${n}': its module ended with status 1: I am busy`).join('\n'),
      },
    })
    await scene.leaveRecord('mine')
    await endDeployment(scene.targets, { ...terms, place: scene.place })
    expect(asked(0)).toBe('activate\nlock\nlock\nunlock\n')
    expect(asked(1)).toBe('activate\nlock\nlock\nunlock\n')
    expect(await scene.holders()).toEqual([undefined, undefined])
    expect(await readLockRecord(scene.place)).toBeUndefined()
  })

  test('are unlocked even if a secret of another one is missing, which is named', async () => {
    const machine = await scene.withSecrets(0, { KEY: 'hunter2' })
    const secrets = new Map([['password', { text: [{ env: 'KEY' }] }]])
    await activate(0, 'key')
    await activate(0, 'locked-out', { machine, secrets })
    machine.close()
    await expect(unlockServices(scene.targets, termsOf('-'))).rejects.toMatchObject({
      code: 'unlock-refused',
      message: "'web' on 't1' could not be unlocked",
      cause: {
        message: expect.stringMatching(
          /^'web' on 't1': property 'password' of container 'c' on 't1', which 'web' needs/,
        ),
      },
    })
    expect(asked(0)).toBe('activate\nactivate\nunlock\n')
    await expect(lockServices(scene.targets, termsOf('-'))).rejects.toMatchObject({ code: 'secret-unresolved' })
    expect(asked(0)).toBe('activate\nactivate\nunlock\n')
  })

  test('are asked for activities that their module declares, and no process is started for others', async () => {
    await Promise.all([activate(0), activate(1)])
    writeFileSync(join(scene.directory, 'module0.activities'), 'activate\nunlock\n')
    writeFileSync(join(scene.directory, 'module1.activities'), 'activate\n')
    const terms = termsOf('mine')
    await acquireLocks(scene.targets, terms)
    await lockServices(scene.targets, terms)
    await unlockServices(scene.targets, terms)
    expect([asked(0), asked(1)]).toEqual(['activate\nunlock\n', 'activate\n'])
    const logs = readdirSync(scene.directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(un)?lock$/.test(name),
    )
    expect(logs).toEqual([expect.stringMatching(/t1\/log\/.*key\.unlock$/)])
  })

  test('are asked at the same time if their target has enough cores', async () => {
    await activate(0, 'one')
    await activate(0, 'two')
    const both = `until [ "$(grep -c lock "$0.asked")" = 2 ] || [ ! -e '${scene.directory}' ]; do sleep 0.05; done`
    writeFileSync(join(scene.directory, 'module0'), `#!/bin/sh\necho "$1" >>"$0.asked"\n${both}\n`)
    const terms = { ...termsOf('mine'), timeoutSeconds: 50 }
    await acquireLocks(scene.targets, terms)
    await lockServices(scene.targets, terms)
    expect(asked(0)).toBe('activate\nactivate\nlock\nlock\n')
  })

  test('do not keep endDeployment() from releasing the locks, nor do locks that are gone', async () => {
    await activate(0)
    await acquireLocks(scene.targets, termsOf('mine'))
    await scene.leaveRecord('mine')
    await releaseLock(scene.at(0).machine, placeOf(scene.at(0)), { token: 'mine' })
    const ending = endDeployment(scene.targets, { ...termsOf('mine'), place: scene.place })
    await expect(ending).rejects.toMatchObject({ code: 'not-locked', message: expect.stringContaining("target 't") })
    expect(await scene.holders()).toEqual([undefined, undefined])
    expect(existsSync(join(scene.place, 'lock.json'))).toBe(false)
  })

  test('endDeployment() leaves the record of a later lock', async () => {
    await acquireLocks(scene.targets, termsOf('mine'))
    await scene.leaveRecord('later')
    await endDeployment(scene.targets, { ...termsOf('mine'), place: scene.place })
    expect(await readLockRecord(scene.place)).toMatchObject({ token: 'later' })
  })
})
