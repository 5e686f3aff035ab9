import { cpSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { TwoTargets } from './two-targets.ts'

const targets = new TwoTargets()

/** Reads back from alpha, on whose machine beta is too. */
async function readBack(unreachable: ReadonlyMap<TargetName, DavitError>) {
  const at = (machine: string) => join(targets.directory, 'now', machine, 'targets/beta')
  cpSync(at('beta'), at('alpha'), { recursive: true, verbatimSymlinks: true })
  return targets.readBackFrom([await targets.open('alpha')], { partial: true, prefer: 'records', unreachable })
}

test('a target that cannot be reached is not said to be missing from the infrastructure', async () => {
  const lost = new DavitError('unreachable', 'no route to host')
  const { told } = await readBack(new Map([['beta' as TargetName, lost]]))
  expect(told).toContain('left out: no route to host')
  expect(told).not.toContain('not in the infrastructure')
})

test('a target that is not in the infrastructure is named', async () => {
  const { told } = await readBack(new Map())
  expect(told).toContain("the machine also has services of a target 'beta', which is not in the infrastructure")
})
