import { existsSync, lutimesSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { ReportEvent } from '@davit/diagnostics'
import {
  encodeDocument,
  type Format,
  Manifest,
  parseDocument,
  type StorePath,
  type System,
  type TargetName,
} from '@davit/documents'
import { tool as generations } from '@davit/generations'
import { tool as set } from '@davit/set'
import { type NativeStore, openNativeStore } from '@davit/store'
import type { ToolContext } from '@davit/tool'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool as collect } from '../src/main.ts'

const A_DAY_AND_A_MINUTE = (24 * 60 + 1) * 60_000
const target = 't1' as TargetName

let directory: string
let store: NativeStore
let printed: string
let messages: string[]
const environment = () => ({
  PATH: '/usr/bin:/bin',
  HOME: directory,
  DAVIT_STATE_DIR: join(directory, 'state'),
  DAVIT_STORE_DIR: join(directory, 'store'),
})

beforeEach(async () => {
  directory = scratchDirectory()
  store = await openNativeStore({ directory: join(directory, 'store'), environment: environment() })
  printed = ''
  messages = []
})

/** Context of a tool with `text` on standard input. */
function contextOf<Arguments>(args: object, text = ''): ToolContext<Arguments> {
  const input = { text, file: '<stdin>' }
  return {
    args: { profile: 'default', ...args } as Arguments,
    print: async (content) => void (printed += String(content)),
    report: (event: ReportEvent) => void ('message' in event && messages.push(event.message)),
    signal: new AbortController().signal,
    environment: environment(),
    workingDirectory: directory,
    privileged: false,
    executable: 'davit',
    readInput: async () => input,
    readDocument: async <Value>(format: Format<Value>) => ({ ...input, value: parseDocument(format, text, input) }),
    journal() {},
    runInForeground: async () => 0,
    runSteps: async () => 0,
  }
}

/** A manifest whose profile is in the store; the next one has another profile. */
async function manifestOf(version: string) {
  const [path] = await store.addProfiles([
    { name: 't1', packages: [], profileManifest: `<${version}/>`, modules: new Map() },
  ])
  const manifest: Manifest = {
    store: store.reference,
    profiles: new Map([[target, path!]]),
    services: new Map(),
    infrastructure: new Map([
      [
        target,
        {
          system: 'x86_64-linux' as System,
          numOfCores: 1,
          clientInterface: 'local',
          targetProperty: 'hostname',
          properties: new Map([['hostname', 'localhost']]),
          containers: new Map(),
        },
      ],
    ]),
    serviceMappings: [],
    snapshotMappings: [],
  }
  return { path: path!, text: encodeDocument(Manifest, manifest, 'xml') }
}

const SET = {
  lock: false,
  lockLease: 60,
  on: [],
  coordinatorProfile: true,
  targetProfiles: true,
  skipUnreachable: false,
}
const runSet = (text: string, generation?: number, profile = 'default') =>
  set.run(contextOf({ ...SET, generation, profile }, text))
const runGenerations = (args: object) => generations.run(contextOf({ previous: false, deleteAll: false, ...args }))
const runCollect = (args: object = {}) => collect.run(contextOf({ ...COLLECT, ...args }))
const COLLECT = {
  on: [],
  deployed: true,
  deleteOld: false,
  dryRun: false,
  interface: 'ssh',
  targetProperty: 'hostname',
}
const expire = () => {
  const old = new Date(Date.now() - A_DAY_AND_A_MINUTE)
  const roots = join(directory, 'store/.davit/roots')
  for (const root of readdirSync(roots)) if (root.startsWith('temporary:')) lutimesSync(join(roots, root), old, old)
}
const valid = () => readdirSync(join(directory, 'store/.davit/registrations')).map((name) => name.replace('.json', ''))
const names = (...paths: readonly StorePath[]) => paths.map((path) => basename(path)).toSorted()
const links = (profile = 'default') => readdirSync(join(directory, 'state/targets/t1/profiles', profile)).toSorted()

/** Three generations here and on the target. */
async function deployThree(profile = 'default') {
  const deployed = [await manifestOf('a'), await manifestOf('b'), await manifestOf('c')]
  for (const { text } of deployed) await runSet(text, undefined, profile)
  expire()
  return deployed
}

describe('the generations of a deployment to this machine', () => {
  test('are returned to by davit-set, on the target as well', async () => {
    const [first, , third] = await deployThree()
    await runSet(first!.text, 1)
    expect(messages.slice(-2)).toEqual([
      'generation 1 of the profile',
      'generation 1 is current on the coordinator again',
    ])
    await expect(runSet(third!.text, 1)).rejects.toMatchObject({ code: 'other-generation', exitStatus: 1 })
    await expect(runSet(third!.text, 7)).rejects.toMatchObject({ code: 'no-generation', exitStatus: 1 })
    expect(links()).toEqual(['1-link', '2-link', '3-link', 'current'])
  })

  test('are listed and printed byte for byte', async () => {
    const [, second, third] = await deployThree()
    printed = ''
    await runGenerations({ print: 2 })
    expect(printed).toBe(second!.text)
    printed = ''
    await runGenerations({})
    expect(printed.split('\n').map((line) => line.slice(0, 6))).toEqual(['   1  ', '   2  ', '   3  ', ''])
    expect(printed).toMatch(/ 0 services on 1 target, by \S+ on \S+ {2}\(current\)\n$/)
    printed = ''
    await runGenerations({ previous: true })
    expect(printed).toBe('2\n')
    printed = ''
    await runGenerations({ current: true })
    expect(printed).toBe(third!.text)
    printed = ''
    await runGenerations({ current: true, profile: 'other' })
    expect(printed).toBe('')
  })

  test('keep their packages, on either side, until garbage is collected after they were deleted', async () => {
    const [first, second, third] = await deployThree()
    const rubbish = await manifestOf('rubbish')
    await runCollect()
    expect(valid()).toHaveLength(4)
    expire()
    await runCollect({ dryRun: true })
    expect(printed.split('\n').filter((line) => line.endsWith('  on the coordinator'))).toHaveLength(1)
    expect(valid()).toHaveLength(4)
    await runCollect()
    expect(valid().toSorted()).toEqual(names(first!.path, second!.path, third!.path))
    expect(await store.invalidPaths([rubbish.path])).toHaveLength(0)
    await runGenerations({ delete: '1' })
    expect(existsSync(join(directory, 'state/coordinator/default/generations/1'))).toBe(false)
    await runCollect()
    // The target still has it.
    expect(valid()).toHaveLength(3)
    await runCollect({ deleteOld: true })
    expect(valid()).toEqual(names(third!.path))
    expect(links()).toEqual(['3-link', 'current'])
  })

  test('what is kept for a day is told with its time, and goes with --now once nobody needs it', async () => {
    await deployThree()
    const rubbish = await manifestOf('rubbish')
    await runCollect()
    expect(messages.at(-1)).toMatch(
      /^the coordinator: there is no garbage; 1 package \(\d+ B\) is kept until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: '--now' removes it as well, once it is five minutes old$/,
    )
    await runCollect({ now: true })
    expect(messages.at(-1)).toMatch(
      /; 1 package \(\d+ B\) is kept, since it is less than five minutes old or a deployment may be about to need it$/,
    )
    const anHourAgo = new Date(Date.now() - 3_600_000)
    lutimesSync(join(directory, 'store/.davit/roots', `temporary:${basename(rubbish.path)}`), anHourAgo, anHourAgo)
    // As if the process that made it, which is this one, had ended.
    rmSync(join(directory, 'store/.davit/needed'), { recursive: true })
    printed = ''
    await runCollect({ now: true, dryRun: true })
    expect([printed.includes(rubbish.path), valid().length]).toEqual([true, 4])
    await runCollect({ now: true })
    expect(messages.at(-1)).toMatch(/^the coordinator: removed 1 package \(\d+ B\)$/)
    expect(valid()).toHaveLength(3)
  })

  test('what a step has made stays with --now for as long as its davit-env lives', async () => {
    const kept =
      /; 1 package \(\d+ B\) is kept, since it is less than five minutes old or a deployment may be about to need it$/
    await deployThree()
    // As if a shell had started these tests as a step.
    store = await openNativeStore({
      directory: join(directory, 'store'),
      environment: { ...environment(), DAVIT_RUN: `davit-env.20260101T000000Z.${process.ppid}` },
    })
    const made = await manifestOf('made')
    const anHourAgo = new Date(Date.now() - 3_600_000)
    lutimesSync(join(directory, 'store/.davit/roots', `temporary:${basename(made.path)}`), anHourAgo, anHourAgo)
    const needed = join(directory, 'store/.davit/needed')
    const forget = (pid: number) => {
      for (const owner of readdirSync(needed)) if (owner.startsWith(`${pid}:`)) rmSync(join(needed, owner))
    }
    forget(process.pid)
    await runCollect({ now: true })
    expect([messages.at(-1), valid().length]).toEqual([expect.stringMatching(kept), 4])
    forget(process.ppid)
    await runCollect({ now: true })
    expect([messages.at(-1), valid().length]).toEqual([expect.stringMatching(/: removed 1 package /), 3])
  })

  test('logs of services that are gone, and records that were given up, go from the target, and are shown before', async () => {
    await deployThree()
    const logs = join(directory, 'state/targets/t1/log/default')
    mkdirSync(logs, { recursive: true })
    const [gone, recent] = [join(logs, 'process:old.activate'), join(logs, 'process:new.activate')]
    for (const log of [gone, recent]) writeFileSync(log, 'text\n')
    const then = new Date(Date.now() - A_DAY_AND_A_MINUTE)
    utimesSync(gone, then, then)
    const givenUp = join(directory, 'state/targets/t1/abandoned/default/20260101T000000Z.1')
    mkdirSync(join(givenUp, 'process:old'), { recursive: true })
    const aMonthAgo = new Date(Date.now() - 31 * A_DAY_AND_A_MINUTE)
    utimesSync(givenUp, aMonthAgo, aMonthAgo)
    printed = ''
    await runCollect({ dryRun: true })
    expect(printed).toMatch(new RegExp(`^ +5 B  ${gone}  on (?:the coordinator|t1)\n.*  ${givenUp}  on .*\n$`))
    const what = '1 log and 1 given-up record of services that are gone'
    expect(messages.at(-1)).toContain(`: would remove ${what} (`)
    expect([gone, givenUp].map((path) => existsSync(path))).toEqual([true, true])
    await runCollect()
    expect(messages.at(-1)).toContain(`: removed ${what} (`)
    expect([gone, givenUp, recent].map((path) => existsSync(path))).toEqual([false, false, true])
  })

  test('a dry run looks ahead to what goes when the old ones are deleted, and deletes none', async () => {
    await deployThree()
    printed = ''
    await runCollect({ deleteOld: true, dryRun: true })
    expect(printed.trimEnd().split('\n')).toHaveLength(2)
    expect([valid().length, links().length]).toEqual([3, 4])
    expect(readdirSync(join(directory, 'state/coordinator/default/generations')).toSorted()).toEqual(['1', '2', '3'])
  })

  test('of another deployment are left alone', async () => {
    const deployed = await deployThree('default-b')
    await runSet(deployed[0]!.text)
    await runCollect({ deleteOld: true })
    await runGenerations({ delete: 'old' })
    expect([valid().length, links('default-b').length, links().length]).toEqual([3, 4, 2])
    await runGenerations({ profile: 'default-b', deleteAll: true })
    expect(messages.at(-1)).toContain('the coordinator has forgotten the deployment')
    expect(readdirSync(join(directory, 'state/coordinator/default/generations'))).toEqual(['1'])
  })

  test('one that cannot be read is listed as such, and nothing is guessed of it', async () => {
    await deployThree()
    const generations = join(directory, 'state/coordinator/default/generations')
    writeFileSync(join(generations, '3/manifest'), '{')
    printed = ''
    await runGenerations({})
    expect(printed).toContain('   3  cannot be read  (current)\n')
    await expect(runCollect({ deployed: false, deleteOld: true })).rejects.toMatchObject({ code: 'invalid-document' })
    expect([readdirSync(generations), links().length]).toEqual([['1', '2', '3'], 4])
  })

  test.each([
    [{ deployed: true, manifest: '-' }, 'a manifest and --deployed cannot be combined'],
    [{}, "nothing is deployed as 'default'"],
  ])('davit-collect-garbage refuses %j', async (args, message) => {
    await expect(runCollect(args)).rejects.toMatchObject({ message })
  })

  test('davit-collect-garbage collects on the targets of an infrastructure model', async () => {
    const [, , third] = await deployThree()
    const file = join(directory, 'infrastructure.json')
    writeFileSync(file, JSON.stringify({ t1: { properties: { hostname: 'localhost' }, clientInterface: 'local' } }))
    await runCollect({ deployed: false, infrastructure: file, deleteOld: true })
    expect(links()).toEqual(['3-link', 'current'])
    expect(valid()).toEqual(names(third!.path))
    const both = collect.run(
      contextOf({ ...COLLECT, deployed: false, infrastructure: file, manifest: '-' }, third!.text),
    )
    await expect(both).rejects.toMatchObject({ message: 'a manifest and --infrastructure cannot be combined' })
    await expect(runCollect({ infrastructure: file })).rejects.toMatchObject({
      message: '--infrastructure and --deployed cannot be combined',
    })
  })

  test('where nothing was ever deployed there is no garbage', async () => {
    await runCollect({ deployed: false })
    expect(messages).toEqual(['the coordinator: there is no garbage'])
  })
})
