import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { delegationError } from '../src/delegation-error.ts'
import type { DelegationTerms } from '../src/plan-delegation.ts'
import { runDelegation } from '../src/run-delegation.ts'
import { anyTerms, buildersOf, drv, graph, out, wantedOf } from './graphs.ts'
import { type Faults, network, type Network } from './simulated-network.ts'

const TWO = 'two' as TargetName

test('sends what is required, builds, and brings back; native inputs go from target to target', async () => {
  const { log, kept, keptThere } = await carriedOut(
    terms('native', ['web lib', 'lib', 'db lib'], ['web one', 'db two']),
  )
  expect(log.toSorted()).toEqual([
    'one: build lib (1)',
    'one: build web (1)',
    'one: fetch lib',
    'one: fetch web',
    'one: send lib-source',
    'one: send web-source',
    'two: build db (1)',
    'two: fetch db',
    'two: send db-source lib',
  ])
  expect(kept).toEqual(new Set(['web', 'lib', 'db'].map(out)))
  expect([...keptThere].toSorted().join(', ')).toBe(
    'one: lib, one: lib-source, one: web, one: web-source, two: db, two: db-source, two: lib',
  )
})

test('Nix gets derivations, all together, with all cores of the target', async () => {
  const { log } = await carriedOut(terms('nix', ['web lib', 'lib', 'db'], ['web one', 'db one'], 'one 3'))
  expect(log).toEqual([
    'one: send db.drv db-source web.drv web-source lib-source',
    'one: build db web (3)',
    'one: fetch db web',
  ])
})

test.each([1, 2, 5, 16])('%i cores are used, and no more', async (cores) => {
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`)
  const { most, log } = await carriedOut(
    terms(
      'native',
      names,
      names.map((name) => `${name} one`),
      `one ${cores}`,
    ),
  )
  expect(most.builds.get('one')).toBe(cores)
  expect(log.filter((line) => line.includes('send'))).toHaveLength(1)
})

test('as many machines as allowed are sent to at a time, and one that is several targets is sent things once', async () => {
  const names = ['one', 'two', 'three', 'four']
  const apart = terms(
    'native',
    names.map((name) => `p${name}`),
    names.map((name) => `p${name} ${name}`),
    ...names,
  )
  expect((await carriedOut(apart)).most.transfers).toBe(2)
  const { most, log } = await carriedOut(apart, { together: names })
  expect(most.transfers).toBe(1)
  expect(log.filter((line) => line.includes('send'))).toEqual([
    'one: send pfour-source pone-source pthree-source ptwo-source',
  ])
})

test('a failing build stops only what needs it', async () => {
  const graphOf = terms('native', ['web lib', 'lib', 'app web', 'db'], ['app one', 'db two', 'web two'])
  const { failures, skipped, valid } = await carriedOut(graphOf, { broken: ['lib'] })
  expect(failures).toMatchObject([{ kind: 'build', build: { name: 'lib' }, reason: 'ended with status 3' }])
  expect(skipped.map(({ name }) => name).toSorted()).toEqual(['app', 'web'])
  expect(valid).toContain(out('db'))
  const error = delegationError({ failures, skipped })
  expect(error).toMatchObject({ code: 'build-failed', message: '3 packages were not built', exitStatus: 1 })
  expect(error.diagnostics.map(({ message }) => message)).toEqual([
    "the build of 'lib' on target 'two' ended with status 3\n  | lib:\n  | cannot compile",
    "not attempted, since they need these: 'web', 'app'",
  ])
})

const refused = new DavitError('unreachable', "cannot connect to '10.0.0.2'", {
  exitStatus: ExitStatus.unreachable,
  hint: 'is it on?',
})

test('a target that is not reached does not stop the others', async () => {
  const pair = terms('native', ['a', 'b', 'c'], ['a one', 'b two', 'c two'])
  const { failures, skipped, valid } = await carriedOut(pair, { unreachable: new Map([[TWO, refused]]) })
  expect(valid).toContain(out('a'))
  const error = delegationError({ failures, skipped })
  expect(error).toMatchObject({ exitStatus: ExitStatus.unreachable, message: '2 packages were not built' })
  expect(error.diagnostics).toEqual([
    {
      severity: 'error',
      message: "cannot build 'b', 'c' on target 'two': cannot connect to '10.0.0.2'",
      hint: 'is it on?',
    },
  ])
})

test('a failing build counts for more than a target that is not reached', async () => {
  const faults = { unreachable: new Map([[TWO, refused]]), broken: ['a'] }
  const outcome = await carriedOut(terms('native', ['a', 'b'], ['a one', 'b two']), faults)
  expect(delegationError(outcome).exitStatus).toBe(1)
})

test.each(['send', 'build', 'fetch'])('a connection that is lost in %s does not stop the others', async (step) => {
  const pair = terms('native', ['a', 'b c', 'c'], ['a one', 'b two', 'c two'])
  const { failures, skipped, valid, kept } = await carriedOut(pair, { lost: [`${step} two`] })
  expect(failures).toMatchObject([
    { kind: 'target', build: { name: 'c' }, error: { message: `connection lost in ${step}` } },
  ])
  expect(skipped).toMatchObject([{ name: 'b' }])
  expect(kept).toEqual(new Set([out('a')]))
  expect(valid).not.toContain(out('c'))
})

test('an interrupt lets nothing new begin, and waits for what runs', async () => {
  const chain = terms('native', ['a', 'b', 'c a'], ['a one', 'b one', 'c one'])
  let running: string[] = []
  const simulated = network(chain, {
    onBuild(names) {
      running = [...names]
      simulated.abort.abort(new DavitError('interrupted', 'interrupted', { exitStatus: ExitStatus.interrupted }))
    },
  })
  await expect(runDelegation(simulated.plan, simulated.options)).rejects.toMatchObject({ code: 'interrupted' })
  expect(running).toEqual(['a'])
  expect(simulated.log.filter((line) => line.includes('build'))).toEqual(['one: build a (1)'])
  expect(simulated.events.at(-1)).toMatchObject({ kind: 'failed', step: 'build a', message: 'interrupted' })
})

test('what is built there already is brought back, and builds go on from what is here', async () => {
  const simulated = network(terms('native', ['a', 'b a'], ['a one', 'b one']))
  await runDelegation(simulated.plan, simulated.options)
  const steps = simulated.events.flatMap((event) =>
    event.kind === 'finished' ? [`[${event.target}] ${event.step}`] : [],
  )
  expect(steps).toEqual([
    '[one] send inputs of a (1 package, 0 B)',
    '[one] build a',
    '[one] bring back a (1 package, 0 B)',
    '[one] send inputs of b (1 package, 0 B)',
    '[one] build b',
    '[one] bring back b (1 package, 0 B)',
  ])
})

test('law: everything is built once and brought back, and no target does more than it can', async () => {
  await fc.assert(
    fc.asyncProperty(anyTerms, async (any) => {
      const { log, valid, most, failures } = await carriedOut(any)
      expect(failures).toEqual([])
      const { builds } = network(any).plan
      for (const name of [...builds.values()].map((build) => build.name)) expect(valid).toContain(out(name))
      const told = log.flatMap((line) => / build (.*) \(/.exec(line)?.[1]?.split(' ') ?? [])
      expect(told.toSorted()).toEqual([...builds.values()].map(({ name }) => name).toSorted())
      for (const [target, cores] of most.builds) {
        expect(cores).toBeLessThanOrEqual(any.builders.get(target as TargetName)?.cores ?? 0)
      }
    }),
  )
})

test('law: whatever fails, all that does not need it is built', async () => {
  await fc.assert(
    fc.asyncProperty(anyTerms, fc.nat(13), async (any, index) => {
      const broken = `d${String(index).padStart(2, '0')}`
      const { failures, skipped, valid, plan } = await carriedOut({ ...any, storeKind: 'native' }, { broken: [broken] })
      const lost = new Set([...failures.map(({ build }) => build), ...skipped].map(({ derivation }) => derivation))
      for (const { derivation, needs, outputs } of plan.builds.values()) {
        expect(lost.has(derivation)).toBe(derivation === drv(broken) || needs.some((need) => lost.has(need)))
        expect(valid.has(outputs[0]!)).toBe(!lost.has(derivation))
      }
    }),
  )
})

/** Targets `one` and `two` with one core each unless said otherwise. */
function terms(
  storeKind: 'native' | 'nix',
  edges: readonly string[],
  wanted: readonly string[],
  ...builders: readonly string[]
): DelegationTerms {
  const targets = builders.length === 0 ? ['one', 'two'] : builders
  return { unbuilt: graph(...edges), wanted: wantedOf(...wanted), builders: buildersOf(...targets), storeKind }
}

async function carriedOut(
  about: DelegationTerms,
  faults: Faults = {},
): Promise<Network & Awaited<ReturnType<typeof runDelegation>>> {
  const simulated = network(about, faults)
  return { ...simulated, ...(await runDelegation(simulated.plan, simulated.options)) }
}
