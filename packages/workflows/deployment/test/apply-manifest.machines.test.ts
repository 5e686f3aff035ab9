import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import type {
  ContainerName,
  Manifest,
  ManifestService,
  ProfileName,
  ServiceKey,
  ServiceName,
  StorePath,
  System,
  Target,
  TargetName,
} from '@davit/documents'
import { openSecrets } from '@davit/secrets'
import { awaitActivity, performActivity, type ShellTarget } from '@davit/target'
import { KINDS } from '@davit/transition'
import { renderTransition } from '@davit/transition/testing'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { applyManifest } from '../src/apply-manifest.ts'
import { outcomeError } from '../src/outcome-error.ts'
import { planFor } from '../src/plan-for.ts'
import { Machines } from './testing.ts'

const profile = 'default' as ProfileName
const container = 'c' as ContainerName

let machines: Machines
let directory: string

/** A module for these tests: it waits and fails on request, records its calls, and does not declare its activities. */
beforeEach(() => {
  machines = new Machines()
  directory = machines.directory
  const module = join(directory, 'modules/module')
  const script = `until [ ! -e '${directory}/wait' ]; do sleep 0.05; done
printf '%s %s\\n' "$1" "\${2##*-}" >>'${directory}/log'
[ ! -e '${directory}/fail-'"$1-\${2##*-}" ] || { echo "cannot $1"; exit 3; }`
  writeFileSync(module, `#!/bin/sh\n${script}\n`)
  rmSync(`${module}.activities`)
})
afterEach(() => machines.close())

const target: Target = {
  system: 'x86_64-linux' as System,
  numOfCores: 2,
  clientInterface: 'local',
  targetProperty: 'hostname',
  properties: new Map(),
  containers: new Map(),
}

/** Which services are on which targets. */
function manifestOf(placed: Readonly<Record<string, readonly string[]>>): Manifest {
  const names = Object.keys(placed) as TargetName[]
  const services = [...new Set(Object.values(placed).flat())]
  return {
    store: { kind: 'native', directory: '/store' },
    profiles: new Map(names.map((name) => [name, directory as StorePath])),
    services: new Map(services.map((name) => [name as ServiceKey, serviceOf(name)])),
    infrastructure: new Map(names.map((name) => [name, target])),
    serviceMappings: names.flatMap((name) =>
      (placed[name] ?? []).map((service) => ({ target: name, container, service: service as ServiceKey })),
    ),
    snapshotMappings: [],
  }
}

function serviceOf(name: string): ManifestService {
  const pkg = `/store/00000000000000000000000000000000-${name}` as StorePath
  return {
    name: name as ServiceName,
    pkg,
    type: 'module',
    dependsOn: [],
    connectsTo: [],
    providesContainers: new Map(),
  }
}

const planOf = (next: Manifest, targets: readonly ShellTarget[]) => planFor(next, targets, machines.terms())
const activeOn = (machine: string, name: string) => {
  const records = join(directory, machine, 'targets', name, 'active', profile)
  return existsSync(records) ? readdirSync(records).map((record) => record.replace(/^c:/, '')) : []
}
const log = () => readFileSync(join(directory, 'log'), 'utf8')

describe('applyManifest()', () => {
  test('begins nothing if a secret that any step needs cannot be resolved', async () => {
    const secrets = openSecrets({ environment: {}, workingDirectory: directory })
    secrets.trust([{ env: 'KEY' }])
    const targets = [await machines.target('m1', 't1'), await machines.target('m2', 't2', secrets)]
    const withSecret = (names: Readonly<Record<string, readonly string[]>>): Manifest => {
      const manifest = manifestOf(names)
      const containers = new Map([
        [container, new Map([['password', new Map([['secret', new Map([['env', 'KEY']])]])]])],
      ])
      return {
        ...manifest,
        infrastructure: new Map([...manifest.infrastructure, ['t2' as TargetName, { ...target, containers }]]),
      }
    }
    const lost = new AbortController().signal
    const terms = { ...machines.terms(), token: '-', lost, rollback: 'rollback' } as const
    const next = withSecret({ t1: ['a'], t2: ['b'] })
    await expect(applyManifest(next, await planOf(next, targets), terms)).rejects.toMatchObject({
      code: 'secret-unresolved',
      exitStatus: 66,
      diagnostics: [
        { message: expect.stringContaining("property 'password' of container 'c' on 't2', which 'b' needs") as string },
      ],
    })
    expect(existsSync(join(directory, 'log'))).toBe(false)
  })

  test('goes from the records to the manifest, and then has nothing to do', async () => {
    const targets = [await machines.target('m1', 'one'), await machines.target('m2', 'two')]
    await machines.deploy(manifestOf({ one: ['a'], two: ['b'] }), targets)
    const next = manifestOf({ one: ['b'], two: ['b'] })
    expect(await machines.deploy(next, targets)).toEqual({ kind: 'completed' })
    expect([activeOn('m1', 'one'), activeOn('m2', 'two')]).toEqual([['b'], ['b']])
    expect(renderTransition((await planOf(next, targets)).transition, KINDS)).toBe('nothing to do\n')
  })

  test('deactivates what it finds under the old name of a target', async () => {
    await machines.deploy(manifestOf({ old: ['a'] }), [await machines.target('m1', 'old')])
    const targets = [await machines.target('m1', 'new')]
    const next = manifestOf({ new: ['b'] })
    const { transition } = await planOf(next, targets)
    expect(renderTransition(transition, KINDS)).toBe(
      'deactivate a in c on old (removed)\nactivate b in c on new (new)\n',
    )
    expect(await machines.deploy(next, targets)).toEqual({ kind: 'completed' })
    expect([activeOn('m1', 'old'), activeOn('m1', 'new')]).toEqual([[], ['b']])
    expect(existsSync(join(directory, 'm1/targets/old/lock/default/holder'))).toBe(false)
  })

  test('does not take what runs on one machine for what should run on another that has its name now', async () => {
    await machines.deploy(manifestOf({ one: ['a'], two: ['b'] }), [
      await machines.target('m1', 'one'),
      await machines.target('m2', 'two'),
    ])
    const swapped = [await machines.target('m2', 'one'), await machines.target('m1', 'two')]
    expect(await machines.deploy(manifestOf({ one: ['a'], two: ['b'] }), swapped)).toEqual({ kind: 'completed' })
    expect([activeOn('m1', 'one'), activeOn('m2', 'two')]).toEqual([[], []])
    expect([activeOn('m2', 'one'), activeOn('m1', 'two')]).toEqual([['a'], ['b']])
  })

  test('rolls back, and tells what failed with its log', async () => {
    const targets = [await machines.target('m1', 'one')]
    await machines.deploy(manifestOf({ one: ['a'] }), targets)
    writeFileSync(join(directory, 'fail-activate-b'), '')
    const outcome = await machines.deploy(manifestOf({ one: ['b'] }), targets)
    expect(log()).toBe('activate a\ndeactivate a\nactivate b\ndeactivate b\nactivate a\n')
    expect(activeOn('m1', 'one')).toEqual(['a'])
    if (outcome.kind === 'completed') throw new Error('it should have failed')
    expect(outcomeError(outcome, 1)).toMatchObject({
      code: 'rolled-back',
      exitStatus: 1,
      message: 'the transition failed: everything is as it was before',
      diagnostics: [{ message: "cannot activate 'b' on 'one': its module ended with status 3\n    cannot activate" }],
    })
  })

  test('leaves nothing where a module goes after the plan was made', async () => {
    const targets = [await machines.target('m1', 'one')]
    const next = manifestOf({ one: ['a'] })
    const plan = await planOf(next, targets)
    rmSync(join(directory, 'modules'), { recursive: true })
    const terms = { ...machines.terms(), token: '-', lost: new AbortController().signal, rollback: 'rollback' } as const
    expect(await applyManifest(next, plan, terms)).toMatchObject({
      kind: 'rolled-back',
      failures: [{ message: expect.stringContaining('no module') }],
    })
    expect(activeOn('m1', 'one')).toEqual([])
  })

  test('does nothing more once the lock was lost, not even undoing', async () => {
    const [one] = [await machines.target('m1', 'one')]
    await machines.deploy(manifestOf({ one: ['a'] }), [one])
    writeFileSync(join(directory, 'wait'), '')
    const lost = new AbortController()
    const next = manifestOf({ one: ['b'] })
    const terms = { ...machines.terms(), token: '-', lost: lost.signal, rollback: 'rollback' } as const
    const applying = applyManifest(next, await planOf(next, [one]), terms)
    const started = () => machines.events.filter(({ kind }) => kind === 'started').length
    await until(() => expect(started()).toBe(2))
    lost.abort(new DavitError('lock-lost', 'it was lost'))
    rmSync(join(directory, 'wait'))
    expect(await applying).toMatchObject({ kind: 'lock-lost', rollbackFailures: [] })
    expect(log()).toBe('activate a\ndeactivate a\n')
  })
})

describe('planFor()', () => {
  const begin = async (one: ShellTarget) => {
    writeFileSync(join(directory, 'wait'), '')
    const mapping = { target: one.name, container, service: 'a' as ServiceKey }
    const definition = { service: serviceOf('a'), module: join(directory, 'modules/module'), properties: new Map() }
    const request = { profile, token: '-', activity: 'activate', mapping, definition } as const
    return { activity: performActivity(one.machine, request), request }
  }

  test('waits for activities of an earlier run', async () => {
    const one = await machines.target('m1', 'one')
    const { activity } = await begin(one)
    await until(() => expect(activeOn('m1', 'one')).toEqual(['a']))
    const planning = planOf(manifestOf({ one: ['a'] }), [await machines.target('m1', 'one')])
    await until(() =>
      expect(machines.events).toMatchObject([
        { kind: 'note', message: 'waiting for an activity of an earlier run: activate a in c' },
      ]),
    )
    rmSync(join(directory, 'wait'))
    expect(renderTransition((await planning).transition, KINDS)).toBe('nothing to do\n')
    expect(await activity).toEqual({ kind: 'succeeded' })
  })

  test('names what runs on something active', async () => {
    const one = await machines.target('m1', 'one')
    const { activity, request } = await begin(one)
    rmSync(join(directory, 'wait'))
    expect(await activity).toEqual({ kind: 'succeeded' })
    writeFileSync(join(directory, 'wait'), '')
    // As an older version of davit asks services.
    const locking = performActivity(one.machine, { ...request, activity: 'lock' as never })
    const named = join(directory, 'm1/targets/one/active', profile, 'c:a/activity')
    await until(() => expect(existsSync(named)).toBe(true))
    const planning = planOf(manifestOf({ one: ['a'] }), [await machines.target('m1', 'one')])
    const message = 'waiting for an activity of an earlier run: lock a in c'
    await until(() => expect(machines.events).toMatchObject([{ kind: 'note', message }]))
    rmSync(join(directory, 'wait'))
    expect(renderTransition((await planning).transition, KINDS)).toBe('nothing to do\n')
    expect(await locking).toEqual({ kind: 'succeeded' })
  })

  test('can be interrupted while it waits', async () => {
    const one = await machines.target('m1', 'one')
    const { activity, request } = await begin(one)
    await until(() => expect(activeOn('m1', 'one')).toEqual(['a']))
    const stop = new AbortController()
    const targets = [await machines.target('m1', 'one')]
    const planning = planFor(manifestOf({ one: [] }), targets, machines.terms({ signal: stop.signal }))
    await until(() => expect(machines.events).toHaveLength(1))
    stop.abort(new Error('enough'))
    await expect(planning).rejects.toThrow('enough')
    rmSync(join(directory, 'wait'))
    expect(await activity).toEqual({ kind: 'succeeded' })
    expect(await awaitActivity(one.machine, request)).toBe(0)
  })

  test('refuses to wait in a dry run', async () => {
    const one = await machines.target('m1', 'one')
    const { activity } = await begin(one)
    await until(() => expect(activeOn('m1', 'one')).toEqual(['a']))
    const planning = planFor(manifestOf({ one: [] }), [one], machines.terms({ running: 'tell' }))
    await expect(planning).rejects.toMatchObject({
      code: 'still-running',
      exitStatus: 75,
      hint: expect.stringContaining('without --dry-run, davit waits for it'),
    })
    rmSync(join(directory, 'wait'))
    await activity
  })
})
