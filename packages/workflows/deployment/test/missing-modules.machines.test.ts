import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Manifest, ServiceKey, StorePath, TargetName } from '@davit/documents'
import { DavitError } from '@davit/diagnostics'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { Machines } from './testing.ts'

let machines: Machines
beforeEach(() => {
  machines = new Machines()
})
afterEach(async () => machines.close())

describe('planFor(), where modules are missing', () => {
  test('refuses the plan with all of them, before anything is stopped', async () => {
    const targets = await machinesOf('one', 'two')
    await machines.deploy(machines.manifest({ one: { old: {} } }), targets)
    machines.calls()
    const next = typed(machines.manifest({ one: { a: {}, b: {} }, two: { a2: {}, c: {} } }), {
      a: 'tomcat',
      b: 'tomcat',
      c: 'mongo',
    })
    for (const running of ['wait', 'tell'] as const) {
      expect(await refusal(next, targets, { running })).toEqual([
        "the profile of 'one' has no module for type 'tomcat', used by 'a', 'b'",
        "the profile of 'two' has no module for type 'mongo', used by 'c'",
      ])
    }
    await expect(machines.deploy(next, targets)).rejects.toMatchObject({ code: 'no-module', exitStatus: 1 })
    expect([machines.up(), machines.calls()]).toEqual([['old'], []])
  })

  test('looks on the target for what Dysnomia has to have there, even before anything is sent', async () => {
    const targets = await machinesOf('one')
    const file = join(machines.directory, 'modules/mongo')
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(`${file}.activities`, 'activate\nof-dysnomia\n')
    const next = typed(machines.manifest({ one: { a: {} } }), { a: 'mongo' })
    expect(await refusal(next, targets, { running: 'tell' })).toEqual([
      "the profile of 'one' has no module for type 'mongo', used by 'a', and Dysnomia has none there",
    ])
  })

  test('lets the package of what provides the container have the module', async () => {
    const targets = await machinesOf('one')
    const provided = machines.manifest({ one: { server: {}, a: {} } })
    const serviceMappings = provided.serviceMappings.map((mapping) =>
      mapping.service === 'a' ? { ...mapping, containerProvidedByService: 'server' as ServiceKey } : mapping,
    )
    const next = { ...typed(provided, { a: 'page' }), serviceMappings }
    const server = next.services.get('server' as ServiceKey)!
    const services = new Map([...next.services, ['server' as ServiceKey, { ...server, pkg: here('server') }]])
    writeFileSync(here('server'), '')
    expect(await refusal({ ...next, services }, targets, { running: 'tell' })).toEqual([
      "neither the package of 'server' nor the profile of 'one' has a module for type 'page', used by 'a'",
    ])
  })

  test('leaves open what a profile has that is nowhere yet, and refuses to activate without it', async () => {
    const targets = await machinesOf('one')
    const made = machines.manifest({ one: { a: {} } })
    const next = { ...made, profiles: new Map([['one' as TargetName, here('nowhere')]]) }
    expect(await machines.plan(next, targets, { running: 'tell' })).toEqual([expect.stringContaining('activate a')])
    expect(await refusal(next, targets, { running: 'wait' })).toEqual(["the profile of 'one' is not there"])
  })

  test('asks nothing about services that run already', async () => {
    const targets = await machinesOf('one')
    const next = machines.manifest({ one: { a: {} } })
    await machines.deploy(next, targets)
    rmSync(join(machines.directory, 'modules'), { recursive: true })
    expect(await machines.plan(next, targets)).toEqual([expect.stringContaining('nothing to do')])
  })
})

async function machinesOf(...names: readonly string[]) {
  return Promise.all(names.map(async (name) => machines.target(name, name)))
}

function here(name: string): StorePath {
  return join(machines.directory, name) as StorePath
}

/** Gives services other types. */
function typed(manifest: Manifest, types: Readonly<Record<string, string>>): Manifest {
  const services = [...manifest.services].map(
    ([key, service]) => [key, { ...service, type: types[key] ?? service.type }] as const,
  )
  return { ...manifest, services: new Map(services) }
}

/** The problems with which a plan is refused. */
async function refusal(...planned: Parameters<Machines['plan']>): Promise<readonly string[]> {
  const error = await machines.plan(...planned).catch((reason: unknown) => reason)
  if (!(error instanceof DavitError)) throw new Error(`it was not refused: ${JSON.stringify(error)}`, { cause: error })
  expect(error.code).toBe('no-module')
  return error.diagnostics.map(({ message }) => message)
}
