import { deploymentPlace } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import type { PlanDocument } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { carryOut, documentOf, planFor } from '../src/deployment.ts'
import { Machines } from './testing.ts'

let machines: Machines
let targets: readonly ShellTarget[]

beforeEach(async () => {
  machines = new Machines()
  targets = [await machines.target('m1', 'one'), await machines.target('m2', 'two')]
  await machines.deploy(machines.manifest({ one: { a: {} }, two: { b: {} } }), targets)
  machines.calls()
})
afterEach(async () => {
  for (const { machine } of targets) machine.close()
  await machines.close()
})

/** `a` makes room for `c`, and `b` stays. */
const NEXT = () => machines.manifest({ one: { c: {} }, two: { b: {} } })

async function savedPlan(): Promise<PlanDocument> {
  const terms = machines.terms({ running: 'tell' })
  return documentOf(NEXT(), await planFor(NEXT(), targets, terms), terms)
}

async function carryOutPlan(expected: PlanDocument) {
  const terms = machines.terms({})
  const place = deploymentPlace(machines.directory, terms.profile)
  const lockUse = { profile: terms.profile, leaseSeconds: 60, place, locking: 'join-or-take' } as const
  return carryOut(NEXT(), targets, { ...terms, place, lockUse, rollback: 'rollback', expected })
}

test('a plan is carried out that is still the same, even if its reasons are not', async () => {
  const saved = await savedPlan()
  machines.die('a')
  expect(await carryOutPlan(saved)).toEqual({ kind: 'completed' })
  expect(machines.calls().toSorted()).toEqual(['activate c', 'deactivate a'])
})

test('of a plan that was carried out, nothing is left, and it is not taken for another one', async () => {
  const saved = await savedPlan()
  expect(await carryOutPlan(saved)).toEqual({ kind: 'completed' })
  machines.calls()
  await expect(carryOutPlan(saved)).rejects.toMatchObject({ code: 'plan-carried-out', exitStatus: 4, diagnostics: [] })
  expect(machines.calls()).toEqual([])
})

test('under the lock, a plan is refused that does something else, and no module is called', async () => {
  const saved = await savedPlan()
  machines.die('b')
  const error = await carryOutPlan(saved).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(DavitError)
  expect(error).toMatchObject({
    code: 'plan-outdated',
    exitStatus: 4,
    diagnostics: ['deactivate', 'activate'].map((activity) => ({
      message: expect.stringMatching(`^also to be done: ${activity} b in .* on two \\(no longer running\\)$`) as string,
    })),
  })
  expect(machines.calls()).toEqual([])
  expect(await carryOutPlan(await savedPlan())).toEqual({ kind: 'completed' })
})
