import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { deploymentPlace, readMadeFrom } from '@davit/coordinator-state'
import type { ReportEvent } from '@davit/diagnostics'
import { CompiledStack, encodeDocument, type Format, Manifest, parseDocument, type ProfileName } from '@davit/documents'
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

const context = (origin: string | undefined, { text = TEXT, on = [] as readonly string[] } = {}) => ({
  args: {
    profile: 'default',
    coordinatorProfile: true,
    targetProfiles: false,
    generation: undefined,
    on,
    manifest: undefined,
    origin,
  },
  print: async () => {},
  report: (event: ReportEvent) => void (event.kind === 'warning' && warnings.push(event.code)),
  environment: { DAVIT_STATE_DIR: join(directory, 'state'), SUDO_USER: 'alice' },
  privileged: true,
  workingDirectory: directory,
  readDocument: async <Value>(format: Format<Value>) => {
    return { text, file: 'm', value: parseDocument(format, text, { file: 'm' }) }
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

/** A manifest with the service of a stack on two targets. */
function manifestWith(version: string): string {
  const pkg = `/store/${version.repeat(32)}-web`
  const [one, two] = ['one', 'two'].map((hostname) => ({
    properties: { hostname },
    containers: { process: {} },
    system: 'x86_64-linux',
    numOfCores: 1,
    clientInterface: 'davit-ssh',
    targetProperty: 'hostname',
  }))
  const key = version.repeat(64)
  return JSON.stringify({
    document: 'manifest',
    version: 2,
    profiles: {},
    services: { [key]: { name: 'shop.web', pkg, type: 'process' } },
    infrastructure: { one, two },
    serviceMappings: ['one', 'two'].map((target) => ({ service: key, target, container: 'process' })),
    snapshotMappings: [],
  })
}

function stackWith(size: number): string {
  const web = { type: 'mu/container', chain: [], public: true, intrinsic: true, properties: { size } }
  const services = { 'shop/web': { ...web, dependsOn: [], endpoints: [], readonly: ['size'], perturbs: [] } }
  const whole = { name: 'shop', metadata: {}, arguments: {}, properties: {}, services, order: [], references: {} }
  return JSON.stringify({ document: 'stack', version: 1, ...whole })
}

test.each([
  ['one target', ['one'], 1],
  ['all targets', ['one', 'two'], 2],
  ['no selection', [], 2],
])('with %s the compiled stack that is kept is what is deployed', async (_, on, size) => {
  for (const [index, selected] of [[], on].entries()) {
    writeFileSync(join(directory, 'origin'), encodeOrigin({ stack: stackWith(index + 1) }))
    const terms = { text: manifestWith(String(index + 1)), on: selected }
    await tool.run(context('origin', terms) as unknown as ToolContext<never>)
  }
  const { stack = '' } = (await readMadeFrom(place(), 2)) ?? {}
  const { services } = parseDocument(CompiledStack, stack, { file: 'stack' })
  expect(services.get('shop/web')?.properties.get('size')).toBe(size)
})
