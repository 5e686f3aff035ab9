import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Format, parseDocument } from '@davit/documents'
import type { ToolContext } from '@davit/tool'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

let directory: string
let manifest: string
let manifestOfNothing: string

beforeEach(() => {
  directory = scratchDirectory()
  const store = join(directory, 'store')
  const path = join(store, `${'0'.repeat(32)}-profile`)
  mkdirSync(path, { recursive: true })
  const target = { properties: { hostname: 'localhost' }, containers: {}, system: 'x86_64-linux' }
  const reached = { numOfCores: 1, clientInterface: 'local', targetProperty: 'hostname' }
  const manifestOf = (profiles: object) =>
    JSON.stringify({
      document: 'manifest',
      version: 2,
      store: { kind: 'native', directory: store },
      profiles,
      services: {},
      infrastructure: { t1: { ...target, ...reached } },
      serviceMappings: [],
      snapshotMappings: [],
    })
  manifest = manifestOf({ t1: path })
  manifestOfNothing = manifestOf({})
})

const holder = () => join(directory, 'state/targets/t1/lock/default/holder')
const generations = () => join(directory, 'state/coordinator/default/generations')

/** Runs davit-set; somebody else gets the lock at the moment when the tool reports this. */
async function setWhile(text: string, isMoment: (message: string) => boolean, args: object = {}): Promise<string> {
  const input = { text, file: '<stdin>' }
  let printed = ''
  const options = { profile: 'default', on: [], lock: true, lockLease: 60, skipUnreachable: false, ...args }
  const context = {
    args: { ...options, coordinatorProfile: true, targetProfiles: true, generation: undefined, manifest: undefined },
    print: async (content: string) => void (printed += content),
    report: ({ message = '' }: { message?: string }) => {
      if (isMoment(message))
        writeFileSync(holder(), readFileSync(holder(), 'utf8').replace(/^token .*/, 'token theirs'))
    },
    signal: new AbortController().signal,
    environment: { PATH: '/usr/bin:/bin', HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') },
    workingDirectory: directory,
    readDocument: async <Value>(format: Format<Value>) => ({ ...input, value: parseDocument(format, text, input) }),
    journal() {},
  }
  await tool.run(context as unknown as ToolContext<never>)
  return printed
}

test('davit-set records no generation once somebody else has taken the lock', async () => {
  const lost = setWhile(manifest, (message) => message.startsWith('generation 1 of the profile'))
  await expect(lost).rejects.toMatchObject({
    code: 'lock-lost',
    exitStatus: 75,
    message: "the lock of profile 'default' on target 't1' was lost",
  })
  expect(existsSync(generations())).toBe(false)
  expect(readFileSync(holder(), 'utf8')).toMatch(/^token theirs$/m)
})

test('davit-set records it while the lock is held, or where it is told to work without', async () => {
  expect(await setWhile(manifestOfNothing, () => false)).toBe(manifestOfNothing)
  expect(existsSync(join(generations(), '1'))).toBe(true)
  expect(await setWhile(manifestOfNothing, () => false, { lock: false })).toBe(manifestOfNothing)
})
