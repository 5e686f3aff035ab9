import { join } from 'node:path'

import { openLocal } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
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
