import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { decodeField } from '@davit/target-runtime'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

import { observeMachine, performActivity, resolveModules } from '../src/target.ts'
import { askByActivity, closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

describe.concurrent.each(installedShells())('records on a machine with $name', (shell) => {
  const activated = async () => {
    const scene = await Scene.open(shell)
    await performActivity(scene.machine, scene.request('activate', scene.module('echo "$1 $2" >>"$D/calls"')))
    return scene
  }
  const observe = ({ machine, profile }: Scene) => observeMachine(machine, profile)
  const edit = (scene: Scene, change: (text: string) => string) => {
    const file = join(scene.record, 'record')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }

  test('contain the id of their boot', async () => {
    const scene = await activated()
    const { bootId, records } = await observe(scene)
    expect([bootId, records.map((record) => record.bootId)]).toEqual([
      scene.machine.facts.bootId,
      [scene.machine.facts.bootId],
    ])
    edit(scene, (text) => text.replace(/^boot .*/m, 'boot another'))
    expect((await observe(scene)).records).toMatchObject([{ bootId: 'another', state: 'active' }])
  })

  test('are observed with the names of all profiles that were ever set', async () => {
    const scene = await activated()
    expect((await observe(scene)).profiles).toEqual([])
    const targets = join(scene.machine.facts.stateDirectory, 'targets')
    for (const [target, name] of [
      ['t1', 'default'],
      ['t1', 'shop'],
      ['t2', 'shop'],
      ['t2', 'not ours\nexit'],
      ['t2', '$(exit 1)'],
    ] as const) {
      const directory = join(targets, target, 'profiles', name)
      mkdirSync(directory, { recursive: true })
      symlinkSync('1-link', join(directory, 'current'))
    }
    mkdirSync(join(targets, 't1/profiles/never-set'))
    expect((await observe(scene)).profiles).toEqual(['default', 'shop'])
  })

  test.runIf(shell.inDepth)('are read without a newline at their end', async () => {
    const scene = await activated()
    edit(scene, (text) => text.trimEnd())
    expect((await observe(scene)).records).toHaveLength(1)
  })

  test.runIf(shell.inDepth).each<readonly [string, (scene: Scene) => void, string]>([
    [
      'an unknown state',
      ({ record }) => writeFileSync(join(record, 'state'), 'asleep\n'),
      'its state is not a known one',
    ],
    ['a missing field', (scene) => edit(scene, (text) => text.replace(/^boot .*\n/m, '')), 'it lacks boot'],
    [
      'another format',
      (scene) => edit(scene, (text) => text.replace('format 1', 'format 9')),
      "its format '9' is not supported",
    ],
    [
      'an entry that is none',
      (scene) => edit(scene, (text) => text.replace(/^entry .*/m, 'entry x')),
      'its entry is not a profile manifest',
    ],
    [
      'another package',
      (scene) => edit(scene, (text) => text.replace(/^pkg .*/m, 'pkg /store/x')),
      'it names two packages',
    ],
    [
      'another container',
      (scene) => edit(scene, (text) => text.replace(/^container .*/m, 'container x')),
      'it belongs to another container',
    ],
  ])('with %s are damaged, and their services can be stopped', async (_, change, problem) => {
    const scene = await activated()
    change(scene)
    const { records, damaged } = await observe(scene)
    expect(records).toEqual([])
    expect(damaged).toMatchObject([
      {
        target: 't1',
        container: 'process',
        key: 'key',
        directory: scene.record,
        problem: expect.stringContaining(problem),
      },
    ])
    expect(damaged[0]?.fields.service?.name).toBe('web')
    const { definition: _definition, ...deactivate } = scene.request('deactivate')
    expect(await performActivity(scene.machine, deactivate)).toEqual({ kind: 'succeeded' })
    expect(await observe(scene)).toMatchObject({ records: [], damaged: [] })
    expect(scene.read('calls')).toMatch(/^activate .*\ndeactivate .*\n$/)
  })

  test.runIf(shell.inDepth)('that were moved are damaged, and stopped where they are', async () => {
    const scene = await activated()
    renameSync(scene.record, join(scene.record, '../process:other'))
    const { damaged } = await observe(scene)
    expect(damaged).toMatchObject([{ key: 'other', problem: 'it belongs to another service' }])
  })

  test.runIf(shell.inDepth).each([
    ['no way to call the module', (file: string) => writeFileSync(file, 'name web\n')],
    ['no text', (file: string) => writeFileSync(file, '\0\0\n\n')],
    ['nothing', (file: string) => rmSync(file)],
  ])('with %s are written again if a manifest has the service', async (_, change) => {
    const scene = await activated()
    change(join(scene.record, 'record'))
    expect((await observe(scene)).damaged).toMatchObject([{ key: 'key', directory: scene.record }])
    expect(await performActivity(scene.machine, scene.request('deactivate'))).toEqual({ kind: 'succeeded' })
    expect(scene.read('calls')).toContain('deactivate /store/')
    expect((await observe(scene)).damaged).toEqual([])
  })

  test.runIf(shell.inDepth)('that are incomplete are not removed if no manifest has the service', async () => {
    const scene = await activated()
    writeFileSync(join(scene.record, 'record'), 'name web\n')
    const { definition: _definition, ...request } = scene.request('deactivate')
    expect(await performActivity(scene.machine, request)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(`the record '${scene.record}/record' is incomplete`),
    })
    expect((await observe(scene)).damaged).toHaveLength(1)
  })

  test('have failed if their last activity has, unless it was another', async () => {
    const scene = await activated()
    expect((await observe(scene)).records).toMatchObject([{ hasFailed: false }])
    for (const [state, status, hasFailed] of [
      ['deactivating', 'deactivate 1', true],
      ['activating', 'activate 3', true],
      ['deactivating', 'lock 1', false],
      ['active', 'deactivate 1', false],
    ] as const) {
      writeFileSync(join(scene.record, 'state'), `${state}\n`)
      writeFileSync(join(scene.record, 'status'), `${status}\n`)
      // oxlint-disable-next-line no-await-in-loop
      expect((await observe(scene)).records, `${state} with ${status}`).toMatchObject([{ state, hasFailed }])
    }
  })

  test('are locked if a lock was granted, refused or cut off, and until they are unlocked', async () => {
    const scene = await activated()
    for (const [activity, status, isLocked] of [
      ['', '', false],
      ['', 'lock 0', true],
      ['', 'lock 1', true],
      ['', 'unlock 1', true],
      ['', 'unlock 130', true],
      ['', 'unlock 0', false],
      ['', 'deactivate 1', false],
      // Cut off.
      ['lock', '', true],
      ['unlock', '', true],
    ] as const) {
      writeFileSync(join(scene.record, 'activity'), activity)
      writeFileSync(join(scene.record, 'status'), status)
      const { records } = await observe(scene) // oxlint-disable-line no-await-in-loop
      expect(records, `${activity} with ${status}`).toMatchObject([{ state: 'active', isLocked }])
    }
  })

  test('name the activity that was cut off, if the state and its outcome allow that', async () => {
    const scene = await activated()
    for (const [state, named, status, activity] of [
      ['activating', 'activate', '', 'activate'],
      ['activating', 'activate', 'activate 1', undefined],
      // The outcome was written, and the runner was cut off before it released its claim.
      ['active', 'activate', '', undefined],
      ['deactivating', 'deactivate', 'lock 0', 'deactivate'],
      // The state of the next activity was written, and its name not yet.
      ['deactivating', 'activate', '', undefined],
      ['active', 'lock', '', 'lock'],
      ['active', 'lock', 'lock 0', undefined],
      ['active', 'of a later version', '', undefined],
      ['active', 'update', '', 'update'],
      ['deactivating', '', '', undefined],
    ] as const) {
      for (const [file, text] of Object.entries({ state, activity: named, status })) {
        rmSync(join(scene.record, file), { force: true })
        if (text !== '') writeFileSync(join(scene.record, file), `${text}\n`)
      }
      const { records } = await observe(scene) // oxlint-disable-line no-await-in-loop
      expect(records.map((record) => [record.state, record.running, record.activity])).toEqual([
        [state, false, activity],
      ])
    }
  })

  test.runIf(shell.inDepth)('that are removed while they are read are left out', async () => {
    const tools = mkdtempSync(join(tmpdir(), 'davit-readlink-'))
    onTestFinished(() => removeTree(tools))
    const removing = `case $1 in */process:key/running) rm -rf "\${1%/running}" ;; esac`
    writeFileSync(join(tools, 'readlink'), `#!/bin/sh\n${removing}\nexec /bin/readlink "$@"\n`, { mode: 0o755 })
    const scene = await Scene.open({ ...shell, path: `${tools}:${shell.path}` })
    await performActivity(scene.machine, scene.request('activate', scene.module('')))
    expect((await observe(scene)).records).toHaveLength(1)
    symlinkSync('1:2:of-yore', join(scene.record, 'running'))
    expect(await observe(scene)).toMatchObject({ records: [], damaged: [] })
    expect(existsSync(scene.record)).toBe(false)
  })

  test.each(['activate', 'deactivate', 'lock'] as const)('name the activity that runs: %s', async (activity) => {
    const scene = await activated()
    const module = scene.module(': >"$D/begun"; hold')
    const running =
      activity === 'lock'
        ? askByActivity(scene.machine, scene.request(activity, module))
        : performActivity(scene.machine, scene.request(activity, module))
    await until(() => expect(scene.has('begun')).toBe(true))
    expect((await observe(scene)).records).toMatchObject([{ running: true, activity }])
    scene.write('go')
    expect(await running).toEqual({ kind: 'succeeded' })
    expect((await observe(scene)).records.map((record) => record.activity)).toEqual(
      activity === 'deactivate' ? [] : [undefined],
    )
    expect(existsSync(join(scene.record, 'activity'))).toBe(false)
  })

  test.runIf(shell.inDepth)(
    'name an activity that outlives its runner, even after another one was refused',
    async () => {
      const scene = await activated()
      const killing = 'kill -KILL "$(readlink "$R/running" | cut -d: -f1)"'.replace('$R', scene.record)
      const module = scene.module(`[ "$1" != lock ] || { ${killing}; : >"$D/begun"; hold; }`)
      const running = askByActivity(scene.machine, scene.request('lock', module))
      await until(() => expect(scene.has('begun')).toBe(true))
      rmSync(join(scene.record, 'running'))
      expect(await performActivity(scene.machine, scene.request('deactivate', module))).toMatchObject({
        kind: 'failed',
      })
      expect((await observe(scene)).records).toMatchObject([{ running: true, activity: 'lock' }])
      scene.write('go')
      await running
    },
  )

  test.runIf(shell.inDepth)('name the activity that was cut off, or the one that was begun after it', async () => {
    const scene = await activated()
    const killing = scene.module(
      '[ "$1" = unlock ] || kill -KILL $(readlink "$R/running" | cut -d: -f1) 0'.replace('$R', scene.record),
    )
    await askByActivity(scene.machine, scene.request('lock', killing))
    expect((await observe(scene)).records).toMatchObject([{ state: 'active', running: false, activity: 'lock' }])
    await performActivity(scene.machine, scene.request('deactivate', killing))
    expect((await observe(scene)).records).toMatchObject([
      { state: 'deactivating', running: false, activity: 'deactivate', hasFailed: false },
    ])
    expect(await askByActivity(scene.machine, scene.request('unlock', killing))).toEqual({ kind: 'succeeded' })
    expect((await observe(scene)).records.map(({ activity }) => activity)).toEqual([undefined])
  })

  test.runIf(shell.inDepth)('of other profiles are reported separately', async () => {
    const scene = await activated()
    const others = join(scene.record, '../../other')
    mkdirSync(others)
    cpSync(scene.record, join(others, 'process:key'), { recursive: true })
    const { records, foreign } = await observe(scene)
    expect(records).toHaveLength(1)
    const pkg = decodeField(/^pkg (.*)$/m.exec(readFileSync(join(scene.record, 'record'), 'utf8'))?.[1] ?? '')
    expect(foreign).toEqual([{ profile: 'other', target: 't1', container: 'process', pkg, name: 'web' }])
  })

  test.runIf(shell.inDepth)('with a name that davit does not use are reported', async () => {
    const scene = await activated()
    const strange = ['a b:c', 'a:b:c', '-x:y'].map((name) => join(scene.record, '..', name))
    for (const directory of strange) cpSync(scene.record, directory, { recursive: true })
    const observation = await observe(scene)
    expect(observation.records).toHaveLength(1)
    expect(observation.strange.toSorted()).toEqual(strange.toSorted())
  })

  test.runIf(shell.inDepth)(
    'resolveModules() returns modules as records name them, and leaves out missing ones',
    async () => {
      const scene = await activated()
      const module = scene.path('module')
      expect(await resolveModules(scene.machine, [module, scene.path('missing'), '/'])).toEqual(
        new Map([[module, module]]),
      )
      expect(await resolveModules(scene.machine, [])).toEqual(new Map())
    },
  )
})
