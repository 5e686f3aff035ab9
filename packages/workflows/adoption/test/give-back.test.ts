import type { Manifest, ProfileName, StorePath, TargetName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { expect, test } from 'vitest'

import { givenBackTo } from '../src/adoption.ts'
import { machines, manifest, PROFILE, reports, tableTarget } from './scene.ts'

test('givenBackTo() leaves targets behind client executables alone, whose helper is on this machine', async () => {
  const name = 'far' as TargetName
  const target = { name, machine: { client: {} } } as unknown as ShellTarget
  const profiles = new Map([[name, '/nix/store/0123456789abcdfghijklmnpqrsvwxyz-far' as StorePath]])
  const manifest = { profiles, services: new Map(), serviceMappings: [], snapshotMappings: [] } as unknown as Manifest
  const asked: TargetName[] = []
  const machines = { on: async (one: ShellTarget) => Promise.reject(new Error(`asked ${asked.push(one.name)}`)) }
  const terms = { profile: 'default' as ProfileName, token: '-', report: () => {} }
  await givenBackTo(manifest, [target], { ...terms, machines })
  expect(asked).toEqual([])
})

test('givenBackTo() sets the profile of each target that has one, and says what changed, and what stays behind', async () => {
  const changed = tableTarget('t1', { give_back: ['packed process web 1', 'packed process web 2', 'set 7-link'] })
  const same = tableTarget('t2', { give_back: ['unchanged'] })
  const without = tableTarget('t3')
  const { said, report } = reports()
  const targets = [changed, same, without].map(({ target }) => target)
  await givenBackTo(manifest('web process t1', 'api process t2'), targets, {
    profile: PROFILE,
    token: '-',
    machines,
    report,
  })
  expect([changed, same, without].map(({ asked }) => asked)).toEqual([['give_back'], ['give_back'], []])
  expect(said.toSorted()).toEqual([
    'detail: [t2] the profile of Disnix is unchanged',
    'note: [t1] the profile of Disnix is set',
    'warning: [t1] snapshots of process/web stay with davit: modules of Dysnomia cannot read them',
  ])
})
