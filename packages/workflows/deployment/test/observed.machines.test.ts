import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Manifest, ProfileName } from '@davit/documents'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { HALF_A_MINUTE, Machines } from './testing.ts'

let machines: Machines
beforeEach(() => {
  machines = new Machines()
})
afterEach(() => machines.close())

const WEB = { api: {}, page: { dependsOn: ['api'] } }

/** A machine `m1` that is target `one`, with a page and its dependencies. */
async function deployed() {
  const targets = [await machines.target('m1', 'one')]
  const next = machines.manifest({ one: WEB })
  await machines.deploy(next, targets)
  machines.calls()
  return { next, targets }
}

/** The manifest with a profile that has other modules. */
function withModulesElsewhere(manifest: Manifest): Manifest {
  const elsewhere = join(machines.directory, 'modules-2')
  cpSync(join(machines.directory, 'modules'), join(elsewhere, 'modules'), { recursive: true })
  return { ...manifest, profiles: new Map([...manifest.profiles].map(([target]) => [target, elsewhere as never])) }
}

describe('a service that died', () => {
  test('is restarted alone', async () => {
    const { next, targets } = await deployed()
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
    machines.die('api')
    expect(await machines.plan(next, targets)).toEqual([
      'deactivate api in api on one (no longer running)',
      'activate api in api on one (no longer running)',
    ])
    expect(await machines.deploy(next, targets)).toEqual({ kind: 'completed' })
    expect(machines.calls()).toEqual(['deactivate api', 'activate api'])
    expect(machines.told().slice(-2)).toEqual([
      'note: deactivate api in api on one (no longer running)',
      'note: activate api in api on one (no longer running)',
    ])
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
  })

  test('is all that a repair restarts', async () => {
    const { targets } = await deployed()
    machines.die('page')
    const next = machines.manifest({ one: { ...WEB, more: {} } })
    expect(await machines.deploy(next, targets, { upgrade: 'repair' })).toEqual({ kind: 'completed' })
    expect(machines.calls()).toEqual(['deactivate page', 'activate page'])
  })

  test('is left to a deployment if it never ran: a repair only names it', async () => {
    const { targets } = await deployed()
    const next = machines.manifest({ one: { ...WEB, more: {} } })
    expect(await machines.plan(next, targets, { upgrade: 'repair' })).toEqual([
      "not deployed, and a repair deploys nothing new: 'more' on 'one'",
      'nothing to do',
    ])
  })

  test('that cannot start again is no rollback', async () => {
    const { next, targets } = await deployed()
    machines.die('page')
    writeFileSync(join(machines.directory, 'fail-page'), '')
    expect(await machines.deploy(next, targets)).toMatchObject({ kind: 'old-services-lost' })
    expect(machines.up()).toEqual(['api'])
  })
})

describe('a machine that was restarted', () => {
  test('gets all of its services again', async () => {
    const { next, targets } = await deployed()
    machines.reboot('m1', 'one')
    const reason = 'the machine was restarted'
    expect(await machines.plan(next, targets)).toEqual([
      `deactivate page in page on one (${reason})`,
      `deactivate api in api on one (${reason})`,
      `activate api in api on one (${reason})`,
      `activate page in page on one (${reason})`,
    ])
    await machines.deploy(next, targets, { upgrade: 'repair' })
    expect(machines.up()).toEqual(['api', 'page'])
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
  })
})

describe('what changes without changing the key', () => {
  test('is reported without values, and restarted on request', async () => {
    const { targets } = await deployed()
    const next = machines.manifest({
      one: {
        api: { properties: { port: '8080', password: 'secret' } },
        page: { dependsOn: ['api'], connectsTo: ['api'] },
      },
    })
    expect(await machines.plan(next, targets)).toEqual([
      'nothing to do',
      'keep api in api on one unchanged (container properties changed: password, port)',
      'keep page in page on one unchanged (connectsTo changed: api)',
    ])
    expect(await machines.deploy(next, targets, { changed: 'restart' })).toEqual({ kind: 'completed' })
    expect(machines.calls()).toEqual(['deactivate page', 'deactivate api', 'activate api8080', 'activate page'])
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
  })

  test.each<readonly [string, () => Manifest]>([
    ['container properties', () => machines.manifest({ one: { ...WEB, api: { properties: { port: '8080' } } } })],
    ['a module', () => withModulesElsewhere(machines.manifest({ one: WEB }))],
  ])('is told until a generation has it: %s', async (_, nextOf) => {
    const { targets, next: first } = await deployed()
    const [second, told] = [
      nextOf(),
      (kind: string) => new RegExp(`^${kind}: keep api .* --restart-changed restarts it$`),
    ]
    for (const times of [1, 2]) {
      await machines.deploy(second, targets, { previous: first })
      expect(machines.told().filter((line) => told('note').test(line))).toHaveLength(times)
    }
    await machines.deploy(second, targets, { previous: second })
    expect(machines.told().filter((line) => told('note').test(line))).toHaveLength(2)
    expect(machines.told().filter((line) => told('detail').test(line))).toHaveLength(1)
    expect(machines.told().at(-1)).toBe('note: nothing to do')
    const lines = await machines.plan(second, targets, { previous: second })
    expect(lines).toContainEqual(expect.stringMatching(/^keep api in api on one unchanged/))
    await machines.deploy(second, targets, { previous: second, changed: 'restart' })
    expect(machines.calls().map((call) => call.replace(/\d+$/, ''))).toContain('activate api')
    expect(await machines.plan(second, targets, { previous: second })).toEqual(['nothing to do'])
  })

  test('is told again when it changes once more', async () => {
    const { targets } = await deployed()
    const withPort = (port: string) => machines.manifest({ one: { ...WEB, api: { properties: { port } } } })
    await machines.deploy(withPort('2'), targets, { previous: withPort('1') })
    await machines.deploy(withPort('3'), targets, { previous: withPort('2') })
    expect(machines.told().filter((line) => line.startsWith('note: keep api'))).toHaveLength(2)
  })

  test('is put back with what it had when something fails', async () => {
    const { targets } = await deployed()
    const next = machines.manifest({
      one: { api: { properties: { port: '8080' } }, page: { dependsOn: ['api'] }, more: {} },
    })
    writeFileSync(join(machines.directory, 'fail-more'), '')
    expect(await machines.deploy(next, targets, { changed: 'restart' })).toMatchObject({ kind: 'rolled-back' })
    expect(machines.calls().at(-1)).toBe('activate api')
    expect(await machines.plan(next, targets)).toContain(
      'keep api in api on one unchanged (container properties changed: port)',
    )
  })
})

describe('records that somebody has changed', () => {
  const record = (name: string) => join(machines.records('m1', 'one'), `${name}:${name}`)

  test.each<readonly [string, () => void]>([
    ['an unknown state', () => writeFileSync(join(record('page'), 'state'), 'asleep\n')],
    ['an entry that is none', () => machines.edit(join(record('page'), 'record'), /^entry .*/m, 'entry rubbish')],
    ['nothing in it', () => writeFileSync(join(record('page'), 'record'), '')],
    ['no record', () => rmSync(join(record('page'), 'record'))],
  ])('with %s converge', async (_, change) => {
    const { next, targets } = await deployed()
    change()
    const reason = '(its record is damaged)'
    expect(await machines.plan(next, targets)).toEqual([
      `deactivate page in page on one ${reason}`,
      `activate page in page on one ${reason}`,
    ])
    expect(await machines.deploy(next, targets)).toEqual({ kind: 'completed' })
    expect(machines.calls()).toEqual(['deactivate page', 'activate page'])
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
  })

  test('are stopped with what the last generation knows', async () => {
    const { next: previous, targets } = await deployed()
    writeFileSync(join(record('page'), 'record'), 'name page\n')
    const next = machines.manifest({ one: { api: {} } })
    expect(await machines.deploy(next, targets, { previous })).toEqual({ kind: 'completed' })
    expect([machines.calls(), machines.up()]).toEqual([['deactivate page'], ['api']])
  })

  test('are named with their file, and kept, if it is unknown how to stop them', async () => {
    const { targets } = await deployed()
    writeFileSync(join(record('page'), 'record'), 'name page\n')
    mkdirSync(join(machines.records('m1', 'one'), 'not ours:x'))
    writeFileSync(join(machines.records('m1', 'one'), 'not ours:x', 'state'), '')
    const next = machines.manifest({ one: { api: {} } })
    const lines = [
      expect.stringContaining(`its record '${record('page')}/record' is damaged: it lacks format, module`),
      expect.stringContaining('not ours:x'),
      'nothing to do',
    ]
    expect(await machines.plan(next, targets)).toEqual(lines)
    expect(await machines.deploy(next, targets)).toEqual({ kind: 'completed' })
    expect(machines.events.filter(({ kind }) => kind === 'warning')).toHaveLength(2)
    expect(await machines.plan(next, targets)).toEqual(lines)
  })
})

describe('another deployment', () => {
  const other = { profile: 'other' as ProfileName }

  test('with the same package in the same container is a conflict, before anything is done', async () => {
    const { next, targets } = await deployed()
    const conflict = { code: 'conflict', exitStatus: 1, hint: expect.stringContaining("profile 'default'") }
    await expect(machines.plan(next, targets, other)).rejects.toMatchObject(conflict)
    await expect(machines.deploy(next, targets, other)).rejects.toMatchObject({
      ...conflict,
      diagnostics: [
        { message: "'api' of profile 'default' has the same package as 'api' in 'api' on 'one'" },
        { message: expect.stringContaining("'page'") },
      ],
    })
    expect(machines.calls()).toEqual([])
    await machines.deploy(machines.manifest({ one: {} }), targets)
    expect(await machines.deploy(next, targets, other)).toEqual({ kind: 'completed' })
  })

  test('is told with the name that the service has there', async () => {
    const { next, targets } = await deployed()
    const renamed = [...next.services].map(
      ([key, service]) => [key, { ...service, name: `my-${service.name}` as never }] as const,
    )
    await expect(machines.plan({ ...next, services: new Map(renamed) }, targets, other)).rejects.toMatchObject({
      diagnostics: [
        { message: "'api' of profile 'default' has the same package as 'my-api' in 'api' on 'one'" },
        { message: "'page' of profile 'default' has the same package as 'my-page' in 'page' on 'one'" },
      ],
    })
  })

  test('is not stopped with what both have, until this one has given it up', async () => {
    const { next, targets } = await deployed()
    cpSync(machines.records('m1', 'one'), machines.records('m1', 'one', 'other'), { recursive: true })
    const refused = {
      code: 'shared-service',
      exitStatus: 1,
      diagnostics: [{ message: `'api' in 'api' on 'one' is also 'api' of profile 'other'` }],
      hint: expect.stringContaining("'davit-env --abandon api' leaves them to profile 'other'"),
    }
    rmSync(join(machines.records('m1', 'one', 'other'), 'page:page'), { recursive: true })
    for (const without of [machines.manifest({ one: { page: {} } }), machines.manifest({ one: {} })]) {
      await expect(machines.plan(without, targets)).rejects.toMatchObject(refused)
      await expect(machines.deploy(without, targets)).rejects.toMatchObject(refused)
    }
    expect([machines.calls(), machines.up()]).toEqual([[], ['api', 'page']])
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
    rmSync(join(machines.records('m1', 'one'), 'api:api'), { recursive: true })
    expect(await machines.deploy(machines.manifest({ one: {} }), targets)).toEqual({ kind: 'completed' })
    expect(machines.up()).toEqual(['api'])
  })

  test('may have other packages, or other targets of the machine', async () => {
    const { targets } = await deployed()
    expect(await machines.deploy(machines.manifest({ one: { more: {} } }), targets, other)).toEqual({
      kind: 'completed',
    })
    const third = { profile: 'third' as ProfileName }
    const two = [await machines.target('m1', 'two')]
    expect(await machines.deploy(machines.manifest({ two: { api: {} } }), two, third)).toEqual({ kind: 'completed' })
    expect(machines.up()).toEqual(['api', 'more', 'page'])
  })
})

describe('an activity that takes too long', () => {
  const hang = (name: string) => writeFileSync(join(machines.directory, `hang-${name}`), '')
  const failed = { message: `it took longer than ${HALF_A_MINUTE} seconds and was stopped` }

  test('has failed, and is undone', async () => {
    const targets = [await machines.target('m1', 'one')]
    hang('activate-page')
    const outcome = await machines.deploy(machines.manifest({ one: WEB }), targets, { timeoutSeconds: HALF_A_MINUTE })
    expect(outcome).toMatchObject({ kind: 'rolled-back', failures: [failed] })
    expect([readdirSync(machines.records('m1', 'one')), machines.up()]).toEqual([[], []])
  })

  test('has failed in a rollback as well', async () => {
    const targets = [await machines.target('m1', 'one')]
    for (const name of ['activate-page', 'deactivate-api']) hang(name)
    const outcome = await machines.deploy(machines.manifest({ one: WEB }), targets, { timeoutSeconds: HALF_A_MINUTE })
    expect(outcome).toMatchObject({ kind: 'new-services-left', failures: [failed], rollbackFailures: [failed] })
  })

  test('is no reason to restart a service that does not report in time whether it runs', async () => {
    const { next, targets } = await deployed()
    hang('status-page')
    expect(await machines.plan(next, targets, { timeoutSeconds: HALF_A_MINUTE })).toEqual(['nothing to do'])
    expect(machines.events.filter(({ kind }) => kind === 'warning')).toMatchObject([
      {
        kind: 'warning',
        message: `the module of 'page' did not report within ${HALF_A_MINUTE} seconds whether it runs`,
      },
    ])
  })
})

describe('a coordinator', () => {
  test('that is another one, or has lost its state, finds nothing to do', async () => {
    const { next } = await deployed()
    rmSync(join(machines.directory, 'coordinator'), { recursive: true, force: true })
    expect(await machines.deploy(next, [await machines.target('m1', 'one')])).toEqual({ kind: 'completed' })
    expect(machines.calls()).toEqual([])
  })

  test('finds a host that was reinstalled empty, and deploys to it again', async () => {
    const { next, targets } = await deployed()
    rmSync(join(machines.directory, 'm1'), { recursive: true })
    for (const name of machines.up()) machines.die(name)
    expect(await machines.plan(next, targets, { previous: next })).toEqual([
      'activate api in api on one (not found on its target)',
      'activate page in page on one (not found on its target)',
    ])
    expect(await machines.deploy(next, targets, { previous: next })).toEqual({ kind: 'completed' })
    expect(machines.up()).toEqual(['api', 'page'])
    expect(machines.told().at(-1)).toBe('note: activate page in page on one (not found on its target)')
  })

  test('that goes back after a run that was cut off tells the whole plan, as a dry run does', async () => {
    const { next, targets } = await deployed()
    await machines.deploy(machines.manifest({ one: { other: {} } }), targets)
    const plan = await machines.plan(next, targets, { previous: next })
    expect(plan.map((line) => line.replace(/ in .*\(/, ' ('))).toEqual([
      'deactivate other (removed)',
      'activate api (not found on its target)',
      'activate page (not found on its target)',
    ])
    await machines.deploy(next, targets, { previous: next })
    expect(machines.told().slice(-3)).toEqual(plan.map((line) => `note: ${line}`))
  })

  test('finds a target that was renamed, and says so', async () => {
    const { targets } = await deployed()
    const renamed = [await machines.target('m1', 'two')]
    const next = machines.manifest({ two: { api: {} } })
    expect(await machines.plan(next, renamed)).toEqual([
      'deactivate page in page on one (removed)',
      'deactivate api in api on one (moved to two)',
      'activate api in api on two (moved from one)',
    ])
    await machines.deploy(next, renamed)
    expect([readdirSync(machines.records('m1', 'one')), machines.up()]).toEqual([[], ['api']])
    expect(targets).toHaveLength(1)
  })
})
