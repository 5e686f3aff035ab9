import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { addGeneration, deploymentPlace, readJournal } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type ProfileName, type StorePath, validateDocument } from '@davit/documents'
import { openNativeStore } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { type CallHere, runHere } from '@davit/tool/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const SENT = 'send packages (all are there): done'
let directory: string
let app: StorePath
let profile: StorePath
beforeEach(async () => {
  directory = scratchDirectory()
  const store = await openNativeStore({ directory: join(directory, 'store'), environment: { PATH: '/usr/bin:/bin' } })
  const content = { profileManifest: '<profilemanifest/>', modules: new Map() }
  ;[app] = (await store.addProfiles([{ name: 'app', packages: [], ...content }])) as [StorePath]
  ;[profile] = (await store.addProfiles([{ name: 'profile', packages: [app], ...content }])) as [StorePath]
})

const environment = () => ({ HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') })
const distribute = (argv: readonly string[], call: CallHere = {}) =>
  runHere(tool, argv, { environment: environment(), directory, ...call })

interface Described {
  readonly targets?: readonly string[]
  /** Type of the service on each target. */
  readonly type?: string
}

/** A manifest whose targets share the store of this machine; `away` cannot be reached. */
function manifest({ targets = ['t1', 't2'], type }: Described = {}): Manifest {
  const target = (name: string) => ({
    properties: { hostname: 'localhost' },
    containers: {},
    system: 'x86_64-linux',
    clientInterface: name === 'away' ? '/nonexistent' : 'local',
    targetProperty: 'hostname',
  })
  const document = {
    store: { kind: 'native', directory: join(directory, 'store') },
    profiles: Object.fromEntries(targets.map((name) => [name, profile])),
    services: type === undefined ? {} : { key: { name: 'web', pkg: app, type } },
    infrastructure: Object.fromEntries(targets.map((name) => [name, target(name)])),
    serviceMappings:
      type === undefined ? [] : targets.map((name) => ({ service: 'key', target: name, container: 'box' })),
    snapshotMappings: [],
  }
  return validateDocument(Manifest, document, { file: 'manifest' })
}

const text = (described: Described = {}) => encodeDocument(Manifest, manifest(described), 'json')

describe('davit-distribute', () => {
  test('prints the manifest as it came, says what it did at each target, and keeps the profiles in the store', async () => {
    const roots = join(directory, 'store/.davit/roots')
    rmSync(roots, { recursive: true })
    const input = `${text()}\n \n`
    const { status, stdout, stderr } = await distribute([], { input })
    expect([status, stdout, stderr]).toEqual([0, input, `[t1] ${SENT}\n[t2] ${SENT}\n`])
    expect(readdirSync(roots)).toContain(`temporary:${basename(profile)}`)
  })

  test('sends only to the targets that are selected', async () => {
    const input = text({ targets: ['t1', 't2', 'away'] })
    expect(await distribute(['--on', 't*,!t1'], { input })).toEqual({
      status: 0,
      stdout: input,
      stderr: `[t2] ${SENT}\n`,
    })
    const misspelt = await distribute(['--on', 'awya'], { input })
    expect(misspelt).toMatchObject({ status: 64, stdout: '', stderr: expect.stringContaining("did you mean 'away'?") })
  })

  test('names a target that cannot be reached, sends to all others, and prints no manifest', async () => {
    const { status, stdout, stderr } = await distribute([], { input: text({ targets: ['t1', 'away', 't2'] }) })
    expect([status, stdout]).toEqual([69, ''])
    expect(stderr).toContain(`[t1] ${SENT}\n[t2] ${SENT}\n`)
    expect(stderr).toContain("error: target 'away': ")
    expect(stderr).toContain("davit-distribute: cannot send all packages to 'away' [distribution-failed]\n")
    expect(stderr).toContain(
      'hint: the other targets have theirs; the same command sends only what is missing; --skip-unreachable continues without these targets\n',
    )
  })

  test('skips a target that cannot be reached, if it may, and says so', async () => {
    const input = text({ targets: ['t1', 'away'] })
    const { status, stdout, stderr } = await distribute(['--skip-unreachable'], { input })
    expect([status, stdout]).toEqual([0, input])
    expect(stderr).toMatch(/^\[away\] warning: skipped, since it cannot be reached: /m)
  })

  test('warns that no cache has packages of the native store', async () => {
    const { status, stderr } = await distribute(['--use-substitutes'], { input: text({ targets: ['t1'] }) })
    expect([status, stderr]).toEqual([
      0,
      `warning: packages of the native store are not in any cache; all that is missing is sent
  hint: --use-substitutes only affects packages of Nix
[t1] ${SENT}
`,
    ])
  })

  test('refuses profiles without the modules of their services before it connects to anything', async () => {
    const input = text({ targets: ['t1', 'away'], type: 'plain' })
    const { status, stdout, stderr } = await distribute([], { input })
    expect([status, stdout, existsSync(join(directory, 'state'))]).toEqual([65, '', false])
    expect(stderr).toBe(`error: the profile of 't1' has no module for type 'plain', used by 'web'
davit-distribute: some services cannot be activated [no-module]
hint: 'davit-manifest -D MANIFEST' makes profiles with modules, and prints the manifest to deploy
`)
  })

  test('does not send a package that somebody has altered here, and lists it on request', async () => {
    chmodSync(app, 0o755)
    writeFileSync(join(app, 'visits.log'), 'ann paid 10\n')
    const input = text({ targets: ['t1'] })
    const refused = await distribute(['--replace-altered'], { input })
    expect([refused.status, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain(`'${app}' is not what it was when it was made: 'visits.log' was added or replaced`)
    expect(refused.stderr).toContain("cannot send all packages to 't1' [distribution-failed]\n")
    const listed = await distribute(['--replace-altered', '--list-altered'], { input })
    expect([listed.status, listed.stdout]).toEqual([0, `${app}\n`])
  })

  test('prints the manifest with --list-altered if nothing was altered', async () => {
    const input = text({ targets: ['t1'] })
    expect(await distribute(['--replace-altered', '--list-altered'], { input })).toMatchObject({
      status: 0,
      stdout: input,
    })
  })

  test('writes the run into the journal of its deployment, if that is known here', async () => {
    const place = deploymentPlace(environment().DAVIT_STATE_DIR, 'shop' as ProfileName)
    const input = text({ targets: ['t1'] })
    const known = { manifest: manifest(), text: input, origin: { time: new Date(0), user: 'root', host: 'desk' } }
    await addGeneration(place, known)
    for (const name of ['shop', 'unknown']) expect((await distribute(['-p', name], { input })).status).toBe(0)
    const entries = (await readJournal(place)).entries.map(({ entry }) => entry)
    expect(entries.map(({ kind }) => kind)).toEqual(['begin', 'started', 'finished', 'end'])
    expect(entries[0]).toMatchObject({ tool: 'davit-distribute' })
    expect(readdirSync(join(place, '..'))).toEqual(['shop'])
  })

  test('stops sending when it is interrupted, and says which targets have their packages', async () => {
    let printed = ''
    const { status, stdout, stderr } = await distribute(['-m', '1'], {
      input: text({ targets: ['t1', 't2'] }),
      onErrors: (all, interrupt) => {
        printed = all
        if (all.includes('[t1] send')) interrupt()
      },
    })
    expect([status, stdout, printed]).toEqual([130, '', stderr])
    expect(stderr).toContain(
      "hint: nothing was activated; 't1' has all its packages, 't2' does not yet; the same command sends only what is missing\n",
    )
  })

  test.each([
    ['an empty document', '', 66],
    ['a document of another kind', '<services/>', 65],
    ['what is no document', '{', 65],
  ])('refuses %s', async (_, input, status) => {
    expect(await distribute([], { input })).toMatchObject({ status, stdout: '' })
  })
})
