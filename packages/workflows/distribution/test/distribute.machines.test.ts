import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { DavitError, type Report, type ReportEvent } from '@davit/diagnostics'
import type { PackageRequest, ServiceName, StorePath, System, TargetName } from '@davit/documents'
import { removeTree } from '@davit/files'
import { openNativeStore, openStore, type Store } from '@davit/store'
import { buildClosures, type Closure, nixPrograms, validOf } from '@davit/target/testing'
import { noPrivateNix, type PrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { installedShells, type Shell } from '@davit/testing/shells'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { distribute, distributionError, distributionInterrupted } from '../src/distribution.ts'
import { type CountedTarget, distributed, manifestOf, nativeTarget, nixTarget } from './machines.ts'

const [shell] = installedShells() as readonly [Shell]
const canSeparate = spawnSync('unshare', ['-m', 'true']).status === 0
if (!canSeparate) console.warn('SKIPPED: machines with stores of their own, which need mount namespaces')

let directory: string
let targets: CountedTarget[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-distribution-'))
  targets = []
})
afterEach(() => {
  for (const { machine } of targets) machine.close()
  removeTree(directory)
})

const homeOf = (name: string) => {
  mkdirSync(join(directory, name), { recursive: true })
  return join(directory, name)
}

describe.skipIf(!canSeparate)('packages of the native store', () => {
  let store: Store
  let paths: readonly StorePath[]

  beforeEach(async () => {
    store = await openNativeStore({ directory: join(directory, 'store'), environment: { PATH: '/usr/bin:/bin' } })
    const requests = ['a', 'b'].map((name): PackageRequest => {
      writeFileSync(join(directory, name), `${name}\n`)
      return {
        spec: { kind: 'source', path: join(directory, name) },
        system: 'x86_64-linux' as System,
        wantedBy: { service: name as ServiceName },
      }
    })
    paths = (await store.instantiate(requests)).map(({ outPath }) => outPath)
    for (const name of ['t1', 't2']) {
      const places = { directory: join(directory, 'store'), home: homeOf(name) }
      targets.push(await nativeTarget(name, shell, places))
    }
  })

  const manifest = () => manifestOf(store, new Map(targets.map(({ name }, index) => [name, paths[index] as StorePath])))
  const rootsOf = (name: string) => join(directory, name, 'store/.davit/roots')

  test('reach their targets in three requests, once, need two if all is there, and are kept there', async () => {
    expect(await distributed(manifest(), targets, { store })).toEqual([
      expect.stringMatching(/^send 1 package \(\d+ B\)$/),
      expect.stringMatching(/^send 1 package/),
    ])
    for (const [index, { name, operations }] of targets.entries()) {
      expect(operations).toEqual(['hello', 'native_missing', 'native_commit'])
      const path = paths[index] as StorePath
      expect(existsSync(join(directory, name, 'store', basename(path)))).toBe(true)
      expect(readlinkSync(join(rootsOf(name), `temporary:${basename(path)}`))).toBe(path)
      rmSync(join(rootsOf(name), `temporary:${basename(path)}`))
      operations.splice(1)
    }
    expect(await distributed(manifest(), targets, { store })).toEqual(
      targets.map(() => 'send packages (all are there)'),
    )
    for (const { name, operations } of targets) {
      expect(operations).toEqual(['hello', 'native_missing'])
      expect(
        readdirSync(rootsOf(name))
          .map((root) => root.replace(/:.*/, ''))
          .toSorted(),
      ).toEqual(['state', 'temporary'])
    }
  })

  test('are kept on the coordinator while they are sent, also if they were made long ago', async () => {
    const roots = join(directory, 'store/.davit/roots')
    for (const root of readdirSync(roots)) rmSync(join(roots, root))
    await distributed(manifest(), targets.slice(0, 1), { store })
    expect(readdirSync(roots)).toEqual([`temporary:${basename(paths[0] as StorePath)}`])
  })

  test('reach the others when one target fails', async () => {
    writeFileSync(join(directory, 't1/store/.davit'), 'in the way\n')
    expect(await distributed(manifest(), targets, { store })).toEqual([
      expect.stringMatching(/^failed: .*\(failed\)$/s),
      expect.stringMatching(/^send 1 package/),
    ])
  })

  test('stay where they arrived when it is interrupted, and the error names targets that lack them', async () => {
    const reason = new DavitError('interrupted', 'interrupted by SIGINT', { exitStatus: 130 })
    const interruption = new AbortController()
    const outcome = await distribute(
      manifest(),
      { targets: new Map(targets.map((one) => [one.name, one])), unreachable: new Map() },
      {
        store,
        maxTransfers: 1,
        unreachable: 'refuse',
        signal: interruption.signal,
        report: (event) => void (event.kind === 'finished' && interruption.abort(reason)),
      },
    )
    expect([[...outcome.done], [...outcome.failed.keys()]]).toEqual([['t1'], ['t2']])
    expect(distributionInterrupted(reason, outcome)).toMatchObject({
      code: 'interrupted',
      message: 'interrupted by SIGINT',
      exitStatus: 130,
      fields: { delivered: ['t1'], missing: ['t2'] },
      hint: "nothing was activated; 't1' has all its packages, 't2' does not yet; the same command sends only what is missing",
    })
  })

  test('are not sent to a target that shares the store of the coordinator', async () => {
    const local = await nativeTarget('t3', shell, { directory: homeOf('elsewhere'), home: homeOf('t3') })
    targets.push(local)
    const shared = manifestOf(store, new Map([['t3', paths[0] as StorePath]]))
    expect(await distributed(shared, [local], { store })).toEqual(['send packages (all are there)'])
  })
})

describe('targets that were not reached', () => {
  const unreached = (exitStatus: number) =>
    [
      ['t1' as TargetName, new DavitError('unreachable', "cannot reach 't1'", { exitStatus, hint: 'plug it in' })],
    ] as const
  const attempt = async (exitStatus: number, unreachable: 'refuse' | 'skip') => {
    const store = await openNativeStore({ directory: join(directory, 'store'), environment: {} })
    const home = { directory: join(directory, 'store'), home: homeOf('t2') }
    if (targets.length === 0) targets.push(await nativeTarget('t2', shell, home))
    const reached = {
      targets: new Map(targets.map((one) => [one.name, one])),
      unreachable: new Map(unreached(exitStatus)),
    }
    const events: ReportEvent[] = []
    const report: Report = (event) => void events.push(event)
    const { signal } = new AbortController()
    const terms = { store, maxTransfers: 1, report, signal, unreachable }
    return { ...(await distribute(manifestOf(store, new Map()), reached, terms)), events }
  }

  test('are among the failed, with what to do', async () => {
    const outcome = await attempt(69, 'refuse')
    expect(outcome.done.size).toBe(1)
    expect(distributionError(outcome)).toMatchObject({
      message: "cannot send all packages to 't1'",
      exitStatus: 69,
      fields: { delivered: ['t2'], missing: ['t1'] },
      hint: 'the other targets have theirs; the same command sends only what is missing; --skip-unreachable continues without these targets',
      diagnostics: [{ message: "target 't1': cannot reach 't1'", hint: 'plug it in' }],
    })
  })

  test('are reported, but not as failures, when they are to be skipped', async () => {
    const { failed, events } = await attempt(69, 'skip')
    expect(failed.size).toBe(0)
    const message = "skipped, since it cannot be reached: cannot reach 't1'"
    expect(events).toMatchObject([{ kind: 'warning', code: 'target-skipped', target: 't1', message }])
  })

  test('are not skipped when they refused us', async () => {
    await expect(attempt(77, 'skip')).rejects.toMatchObject({ code: 'targets-unreachable', exitStatus: 77 })
    expect(distributionError(await attempt(77, 'refuse')).hint).not.toContain('skip')
  })

  test('are not told of others that have their packages where there are none', async () => {
    const { failed } = await attempt(77, 'refuse')
    const { hint } = distributionError({ done: new Set(), failed })
    expect(hint).toBe('the same command sends only what is missing')
  })
})

describe.skipIf(noPrivateNix !== undefined)('packages of Nix', () => {
  const here = privateNixOfFile()
  const cache = mkdtempSync(join(tmpdir(), 'davit-cache-'))
  const there = new Map<string, PrivateNix>(
    ['t1', 't2'].map((name) => [
      name,
      privateNixOfFile({ settings: [`substituters = file://${cache}`, 'require-sigs = false'] }),
    ]),
  )
  const programs = nixPrograms()
  let closureOf: (label: string) => Closure
  let store: Store

  beforeAll(async () => {
    closureOf = buildClosures(here, ['one', 'two', 'cached', 'cut', 'other'])
    store = await openStore({ kind: 'nix', directory: '/nix/store' }, here)
    return () => rmSync(cache, { recursive: true })
  })
  beforeEach(async () => {
    for (const [name, nix] of there) targets.push(await nixTarget(name, shell, { nix, programs, home: homeOf(name) }))
  })

  const manifest = (...labels: readonly string[]) =>
    manifestOf(store, new Map(labels.map((label, index) => [`t${index + 1}`, closureOf(label)[1]])))

  test('reach their targets in two requests, once, and are kept there', async () => {
    expect(await distributed(manifest('one', 'two'), targets, { store })).toEqual(
      targets.map(() => expect.stringMatching(/^send 2 packages/)),
    )
    expect(await distributed(manifest('one', 'two'), targets, { store })).toEqual(
      targets.map(() => 'send packages (all are there)'),
    )
    const closures = new Map([
      ['t1', closureOf('one')],
      ['t2', closureOf('two')],
    ])
    for (const { name, machine, operations } of targets) {
      expect(operations).toEqual(['hello', 'protect', 'protect'])
      machine.close()
      const nix = there.get(name) as PrivateNix
      nix.shell('nix-store --gc')
      const closure = closures.get(name) as Closure
      expect(validOf(nix, closure)).toEqual(closure)
    }
  })

  test('reach the others when the Nix of one target ends in the middle', async () => {
    const second = targets[1] as CountedTarget
    const cutting = homeOf('cutting')
    writeFileSync(
      join(cutting, 'nix-store'),
      `#!/bin/sh\ndd bs=1 count=600 2>/dev/null | '${programs}/nix-store' "$@"\n`,
      { mode: 0o755 },
    )
    const places = { nix: there.get('t1') as PrivateNix, programs: cutting, home: homeOf('t1') }
    const cut = await nixTarget('t1', shell, places)
    targets.push(cut)
    expect(await distributed(manifest('cut', 'other'), [cut, second], { store })).toEqual([
      expect.stringMatching(/^failed: on 'dash', a Nix store ended before it answered: .*\(failed\)$/s),
      expect.stringMatching(/^send 2 packages/),
    ])
  })

  test('are fetched from the cache of a target when that is asked for', async () => {
    const copy = 'nix --extra-experimental-features nix-command copy --to "file://$1" "$2"'
    here.shell(copy, cache, closureOf('cached')[1])
    const [first] = targets as [CountedTarget]
    const nix = there.get('t1') as PrivateNix
    const options = { store, useSubstitutes: true }
    expect(await distributed(manifest('cached'), [first], options)).toEqual(['send packages (all are there)'])
    expect(validOf(nix, closureOf('cached'))).toEqual(closureOf('cached'))
  })
})
