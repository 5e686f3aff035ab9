import { existsSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

import { encodeDocument, type Manifest, ProfileManifest } from '@davit/documents'
import { layOutOriginal } from '@davit/testing/original'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { Machines } from './testing.ts'

let machines: Machines
beforeEach(() => {
  machines = new Machines()
})
afterEach(() => machines.close())

describe('a deployment of Disnix that was not adopted', () => {
  const nix = () => join(machines.directory, 'm1/nix')
  const layOut = (manifest: Manifest, profile = 'default') => {
    const { services, serviceMappings, snapshotMappings } = manifest
    const part = { services, serviceMappings, snapshotMappings }
    const text = encodeDocument(ProfileManifest.on('one' as never), part, 'xml')
    return layOutOriginal(nix(), { profile, target: 'one', text, store: join(machines.directory, 'store') })
  }
  const refused = (profile: string) => ({
    code: 'original-deployment',
    message: 'Disnix has deployed services that would be started twice, or stopped',
    diagnostics: [{ message: `'api' in container 'api' on 'one' is in the deployment '${profile}' of Disnix` }],
    hint: expect.stringContaining(`'davit-adopt -p ${profile} INFRASTRUCTURE'`),
  })
  const newVersion = (manifest: Manifest): Manifest => ({
    ...manifest,
    services: new Map(
      [...manifest.services].map(([key, service]) => [key, { ...service, pkg: `${service.pkg}-2` as never }]),
    ),
  })

  test.each(['default', 'other'])('named %s keeps its services from being started twice', async (profile) => {
    layOut(machines.manifest({ one: { api: {}, gone: {} } }), profile)
    const targets = [await machines.target('m1', 'one')]
    const next = machines.manifest({ one: { api: {}, page: {} } })
    await expect(machines.plan(next, targets)).rejects.toMatchObject(refused(profile))
    await expect(machines.deploy(next, targets)).rejects.toMatchObject(refused(profile))
    expect(machines.calls()).toEqual([])
  })

  test('does not keep them from that if so wanted, and the plan says so', async () => {
    layOut(machines.manifest({ one: { api: {} } }))
    const targets = [await machines.target('m1', 'one')]
    expect(await machines.plan(machines.manifest({ one: { api: {} } }), targets, { besideOriginal: true })).toEqual([
      "[one] warning: 'api' in container 'api' is also in the deployment 'default' of Disnix, which was not adopted",
      'activate api in api on one (new)',
    ])
  })

  test('counts for another version of a service only in a deployment of the same name', async () => {
    layOut(newVersion(machines.manifest({ one: { api: {} } })), 'other')
    const targets = [await machines.target('m1', 'one')]
    const next = machines.manifest({ one: { api: {} } })
    expect(await machines.plan(next, targets)).toEqual(['activate api in api on one (new)'])
    layOut(newVersion(next))
    await expect(machines.plan(next, targets)).rejects.toMatchObject(refused('default'))
  })

  test('of the same name keeps its services from being stopped, since its adoption was cut off', async () => {
    const targets = [await machines.target('m1', 'one')]
    const next = machines.manifest({ one: { api: {} } })
    await machines.deploy(next, targets)
    machines.calls()
    layOut(next)
    await expect(machines.deploy(machines.manifest({ one: {} }), targets)).rejects.toMatchObject(refused('default'))
    expect([machines.calls(), machines.up()]).toEqual([[], ['api']])
    expect(await machines.plan(next, targets)).toEqual(['nothing to do'])
  })

  test('names a service once that would be stopped and started', async () => {
    const targets = [await machines.target('m1', 'one')]
    await machines.deploy(machines.manifest({ one: { api: { properties: { port: 1 } } } }), targets)
    machines.calls()
    layOut(machines.manifest({ one: { api: {} } }))
    const changed = machines.manifest({ one: { api: { properties: { port: 2 } } } })
    await expect(machines.plan(changed, targets, { changed: 'restart' })).rejects.toMatchObject(refused('default'))
  })

  test('keeps everything as it is while Disnix is at work on its first deployment', async () => {
    const targets = [await machines.target('m1', 'one'), await machines.target('m2', 'two')]
    const next = machines.manifest({ one: { api: {} }, two: { page: {} } })
    const lock = machines.lockOriginal('m1')
    const refusal = {
      code: 'original-locked',
      exitStatus: 75,
      diagnostics: [{ message: `target 'one': the lock '${lock}' is there` }],
    }
    await expect(machines.plan(next, targets)).rejects.toMatchObject(refusal)
    await expect(machines.deploy(next, targets)).rejects.toMatchObject(refusal)
    expect(machines.calls()).toEqual([])
    expect(await machines.plan(next, targets, { besideOriginal: true })).toHaveLength(2)
    rmSync(lock)
    expect(await machines.plan(next, targets)).toHaveLength(2)
  })

  test('is in no profile of davit that Disnix would read', async () => {
    layOut(machines.manifest({ one: { gone: {} } }))
    const targets = [await machines.target('m1', 'one')]
    const next = machines.manifest({ one: { api: {} } })
    expect(await machines.plan(next, targets)).toHaveLength(1)
    await expect(machines.plan(next, targets, { originalProfile: true })).rejects.toMatchObject({
      code: 'original-changed',
      hint: expect.stringContaining("'davit-adopt -p default INFRASTRUCTURE'") as string,
    })
  })

  test('counts if it cannot be read', async () => {
    const path = layOut(machines.manifest({ one: {} }))
    rmSync(join(path, 'profilemanifest.xml'))
    const targets = [await machines.target('m1', 'one')]
    const message = `'api' in container 'api' on 'one' may be in the deployment 'default' of Disnix: one:${path}/profilemanifest.xml does not exist`
    await expect(machines.plan(machines.manifest({ one: { api: {} } }), targets)).rejects.toMatchObject({
      ...refused('default'),
      diagnostics: [{ message }],
    })
  })

  test('does not matter to other services, or on other machines, or once it was adopted', async () => {
    const path = layOut(machines.manifest({ one: { api: {} } }))
    const targets = [await machines.target('m1', 'one'), await machines.target('m2', 'two')]
    expect(await machines.plan(machines.manifest({ one: { page: {} }, two: { api: {} } }), targets)).toHaveLength(2)
    const adopted = join(machines.directory, 'm1/adopted')
    expect(existsSync(adopted)).toBe(false)
    const next = machines.manifest({ one: { api: {} } })
    await expect(machines.plan(next, targets.slice(0, 1))).rejects.toMatchObject(refused('default'))
    machines.adopt('m1', path)
    expect(await machines.plan(next, targets.slice(0, 1))).toEqual(['activate api in api on one (new)'])
    unlinkSync(join(adopted, 'default'))
    symlinkSync(machines.directory, join(adopted, 'default'))
    await expect(machines.plan(next, targets.slice(0, 1))).rejects.toMatchObject(refused('default'))
  })
})
