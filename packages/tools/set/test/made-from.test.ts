import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { deploymentPlace, readMadeFrom } from '@davit/coordinator-state'
import type { ReportEvent } from '@davit/diagnostics'
import { encodeDocument, type Format, Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { encodeOrigin, handOn, hashOfManifest, type ToolContext } from '@davit/tool'
import { beforeEach, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

let directory: string
let warnings: string[]
beforeEach(() => {
  directory = scratchDirectory()
  warnings = []
})

const context = (origin: string | undefined) => ({
  args: {
    profile: 'default',
    coordinatorProfile: true,
    targetProfiles: false,
    generation: undefined,
    manifest: undefined,
    origin,
  },
  print: async () => {},
  report: (event: ReportEvent) => void (event.kind === 'warning' && warnings.push(event.code)),
  environment: { DAVIT_STATE_DIR: join(directory, 'state'), SUDO_USER: 'alice' },
  privileged: true,
  workingDirectory: directory,
  readDocument: async <Value>(format: Format<Value>) => {
    return { text: TEXT, file: 'm', value: parseDocument(format, TEXT, { file: 'm' }) }
  },
  journal() {},
})

const TEXT = encodeDocument(
  Manifest,
  {
    store: { kind: 'native', directory: '/store' },
    profiles: new Map(),
    services: new Map(),
    infrastructure: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
  },
  'json',
)

const transitionTo = (text: string) => {
  const time = '2026-11-20T10:00:00.000Z'
  return { manifest: hashOfManifest(text), began: time, ended: time, steps: [], messages: [] }
}
const order = { tool: 'davit-env', began: '2026-11-20T10:00:00.000Z', directory: '/', options: {} }
const models = [{ file: '/m', bytes: 0, sha256: 'a' }]
const place = () => deploymentPlace(join(directory, 'state'), 'default' as ProfileName)

/** Adds a generation with what a file hands on; returns what is kept. */
async function keptOf(file: string | undefined, text = '') {
  if (file !== undefined && text !== '') writeFileSync(join(directory, file), text)
  await tool.run(context(file) as unknown as ToolContext<never>)
  return readMadeFrom(place(), 1)
}

const davit = expect.stringMatching(/^\d+\.\d+\.\d+$/) as string

test('davit-set keeps what the tools before have handed on, and who used sudo', async () => {
  const lines = [{ order }, { models: [] }, { models }, { transition: transitionTo(TEXT) }].map(encodeOrigin).join('')
  expect(await keptOf('origin', lines)).toEqual({ davit, order, models, transition: transitionTo(TEXT) })
  const origin = JSON.parse(readFileSync(join(place(), 'generations/1/origin.json'), 'utf8')) as object
  expect(origin).toMatchObject({ sudoUser: 'alice' })
  expect(warnings).toEqual([])
})

test.each([[undefined], ['missing']])('davit-set keeps what it knows itself with the file %s', async (file) => {
  expect(await keptOf(file)).toEqual({ davit })
  expect(warnings).toEqual([])
})

test('davit-set leaves out the transition to another manifest, and lines that were cut off', async () => {
  const lines = `${encodeOrigin({ models })}{"order":${encodeOrigin({ transition: transitionTo('another') })}`
  expect(await keptOf('origin', lines)).toEqual({ davit, models })
  expect(warnings).toEqual(['origin-damaged'])
})

test('handOn() adds lines to a file for its owner alone, and only warns if it cannot', async () => {
  const hand = (origin: string | undefined) => handOn({ ...context(origin), args: { origin } }, () => ({ models }))
  await hand('origin')
  await hand('origin')
  expect(readFileSync(join(directory, 'origin'), 'utf8')).toBe(encodeOrigin({ models }).repeat(2))
  expect((statSync(join(directory, 'origin')).mode & 0o777).toString(8)).toBe('600')
  await hand(undefined)
  expect(warnings).toEqual([])
  await hand('missing/origin')
  expect(warnings).toEqual(['origin-not-written'])
})
