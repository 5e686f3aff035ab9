import { join } from 'node:path'

import { openLocal } from '@davit/connection'
import { deploymentPlace } from '@davit/coordinator-state'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import { openNativeStore } from '@davit/store'
import { type Machine, openMachine } from '@davit/target'
import { scratchDirectory } from '@davit/testing/scratch'
import { describe, expect, test } from 'vitest'

import { collectEverywhere } from '../src/collection.ts'
import type { Collection } from '../src/collect-everywhere.ts'

const UNREACHABLE = new DavitError('unreachable', "cannot reach 'far'", { exitStatus: ExitStatus.unreachable })
const FULL = new DavitError('cannot-create', 'cannot write here', { exitStatus: ExitStatus.cannotCreate })

interface Scene {
  readonly collection: Collection
  readonly environment: Readonly<Record<string, string>>
  /** Everything that was reported. */
  readonly said: readonly string[]
}

async function sceneWith(signal = new AbortController().signal): Promise<Scene> {
  const directory = scratchDirectory()
  const environment = { PATH: '/usr/bin:/bin', HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') }
  const { reference } = await openNativeStore({ directory: join(directory, 'store'), environment })
  const said: string[] = []
  const report: Collection['report'] = (event) => void ('message' in event && said.push(event.message))
  const print = async () => {}
  const terms = { old: undefined, dryRun: false, leftovers: 'keep' } as const
  return { collection: { ...terms, reference, environment, report, signal, print }, environment, said }
}

const NOBODY = { targets: new Map(), unreachable: new Map() }
const FAR = { targets: new Map(), unreachable: new Map([['far' as TargetName, UNREACHABLE]]) }

const failing = (error: Error) => () => Promise.reject<Machine<'collect'>>(error)

function opening({ environment }: Scene): () => Promise<Machine<'collect'>> {
  return () => openMachine(async () => openLocal({ environment }), { role: 'collect' })
}

describe('collectEverywhere()', () => {
  test('collects where it can, and names all places where it cannot, with the gravest status', async () => {
    const scene = await sceneWith()
    await expect(collectEverywhere(FAR, opening(scene), scene.collection)).rejects.toMatchObject({
      code: 'collection-failed',
      exitStatus: ExitStatus.unreachable,
      message: "cannot collect garbage on target 'far'",
    })
    expect(scene.said).toEqual([expect.stringMatching(/^the coordinator: /)])
    await expect(collectEverywhere(FAR, failing(FULL), scene.collection)).rejects.toMatchObject({
      code: 'collection-failed',
      exitStatus: ExitStatus.cannotCreate,
      message: "cannot collect garbage on target 'far', the coordinator",
      diagnostics: [{ message: "target 'far': cannot reach 'far'" }, { message: 'the coordinator: cannot write here' }],
    })
  })

  test('names local targets with the coordinator, whose machine is theirs', async () => {
    const scene = await sceneWith()
    const name = 'near' as TargetName
    const reached = { ...NOBODY, targets: new Map([[name, { name, machine: await opening(scene)() }]]) }
    const collection = { ...scene.collection, dryRun: true, print: () => Promise.reject<void>(FULL) }
    await expect(collectEverywhere(reached, opening(scene), collection)).rejects.toMatchObject({
      code: 'collection-failed',
      message: "cannot collect garbage on the coordinator, target 'near'",
    })
  })

  test.each([
    [true, 'its client executable cannot tell what would be removed', []],
    [false, 'nix-collect-garbage: 2 paths deleted', [['collect-garbage', [], { seconds: 'unlimited' }]]],
  ])('says what a client executable cannot do (dry run: %s)', async (dryRun, told, called) => {
    const scene = await sceneWith()
    const name = 'far' as TargetName
    const calls: unknown[] = []
    const client = { call: async (...words: unknown[]) => (calls.push(words), ['2 paths deleted']) }
    const machine = { facts: { state: '/far' }, client, request: async () => [] } as unknown as Machine<'collect'>
    const profile = 'shop' as ProfileName
    const old = { place: deploymentPlace(scene.environment['HOME']!, profile), profile, numbers: [], kept: new Map() }
    const reference = { kind: 'nix', directory: '/nix/store' } as const
    const collection = { ...scene.collection, reference, dryRun, old }
    const reached = { ...NOBODY, targets: new Map([[name, { name, machine }]]) }
    await expect(collectEverywhere(reached, failing(FULL), collection)).rejects.toBe(FULL)
    expect(calls).toEqual(called)
    expect(scene.said.slice(-2)).toEqual([
      expect.stringMatching(/^far: old profiles of 'shop' are kept there/),
      `far: ${told}`,
    ])
  })

  test('passes on the error of the coordinator alone, and any bug', async () => {
    const { collection } = await sceneWith()
    await expect(collectEverywhere(NOBODY, failing(FULL), collection)).rejects.toBe(FULL)
    const bug = new TypeError('bug')
    await expect(collectEverywhere(FAR, failing(bug), collection)).rejects.toBe(bug)
  })

  test('ends with the interruption, whatever else it breaks', async () => {
    const stop = new AbortController()
    const { collection } = await sceneWith(stop.signal)
    stop.abort()
    await expect(collectEverywhere(FAR, failing(UNREACHABLE), collection)).rejects.toBe(stop.signal.reason)
  })
})
