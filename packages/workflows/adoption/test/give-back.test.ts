import type { Manifest, ProfileName, StorePath, TargetName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { expect, test } from 'vitest'

import { givenBackTo } from '../src/adoption.ts'

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
