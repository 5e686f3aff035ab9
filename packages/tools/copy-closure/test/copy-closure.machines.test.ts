import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { Manifest, parseDocument, type ProfileName, type StorePath } from '@davit/documents'
import { openNativeStore } from '@davit/store'
import { buildClosures, validOf } from '@davit/target/testing'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { removeTree, scratchDirectory } from '@davit/testing/scratch'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'

const MISSING = sshdMissing()
const run = promisify(execFile)
const programs = mkdtempSync(join(tmpdir(), 'davit-copy-closure-'))

let directory: string
/** Words in front of a command that run it where the coordinator's store is. */
let here: readonly string[]

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../src/bin.ts', import.meta.url))
  await bundleTools([{ name: 'davit-copy-closure', entry }], programs)
})
afterAll(() => removeTree(programs))
beforeEach(() => {
  directory = scratchDirectory()
  here = []
})

interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

async function copyClosure(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [program = '', ...words] = [...here, process.execPath, join(programs, 'bin/davit-copy-closure.cjs'), ...args]
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', DAVIT_STATE_DIR: join(directory, 'state'), ...environment }
  try {
    return { status: 0, ...(await run(program, words, { env })) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, stdout, stderr }
  }
}

function infrastructureFile(properties: object): string {
  const file = join(directory, 'infrastructure.json')
  writeFileSync(file, JSON.stringify({ there: { properties }, other: { properties: { hostname: 'nowhere.invalid' } } }))
  return file
}

describe.skipIf(MISSING !== undefined)(`davit-copy-closure over ssh ${MISSING ?? ''}`, () => {
  const state = mkdtempSync(join(tmpdir(), 'davit-copy-closure-state-'))
  let sshd: TestSshd
  let infrastructure: string
  let profile: StorePath
  let closure: readonly StorePath[]

  beforeAll(async () => {
    sshd = await startSshd({ lines: [`SetEnv DAVIT_STATE_DIR=${state}`] })
  })
  afterAll(async () => {
    await sshd?.stop()
    removeTree(state)
  })

  /** A profile in the store of the target; the coordinator has an empty store in the same place. */
  beforeEach(async () => {
    const [there, own] = [join(directory, 'store'), join(directory, 'own')]
    mkdirSync(own)
    const store = await openNativeStore({ directory: there, environment: { PATH: '/usr/bin:/bin' } })
    const module = await store.addModule('process', { script: Buffer.from('#!/bin/sh\n'), activities: ['activate'] })
    const modules = new Map([['process', module]])
    const [added] = await store.addProfiles([{ name: 'there', packages: [], profileManifest: '<x/>', modules }])
    profile = added!
    closure = await store.closure([profile])
    infrastructure = infrastructureFile({ hostname: sshd.address })
    here = [
      'unshare',
      '-m',
      '--propagation',
      'private',
      'sh',
      '-c',
      'mount --bind "$0" "$1" && shift && exec "$@"',
      own,
      there,
    ]
  })

  const copy = (...args: readonly string[]) => copyClosure(args, sshd.environment)
  const has = (place: string) =>
    closure.map((path) => existsSync(path.replace(join(directory, 'store'), join(directory, place))))
  const valid = (place: string) => readdirSync(join(directory, place, '.davit/registrations')).length

  test('fetches what this machine lacks, and then nothing', async () => {
    const options = ['--from', '-t', 'there', '-i', infrastructure, profile]
    expect(await copy(...options)).toEqual({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^\[there\] fetch 2 packages \(\d+ B\): done\n$/),
    })
    expect([has('own'), valid('own')]).toEqual([[true, true], 2])
    expect(await copy(...options)).toMatchObject({ status: 0, stderr: '[there] fetch packages (all are here): done\n' })
  })

  test('sends what the target lacks, and then nothing', async () => {
    renameSync(join(directory, 'own'), join(directory, 'empty'))
    spawnSync('cp', ['-a', join(directory, 'store'), join(directory, 'own')])
    for (const path of readdirSync(join(directory, 'store'))) removeTree(join(directory, 'store', path))
    const options = ['--to', '-t', 'there', '-i', infrastructure, profile]
    expect(await copy(...options)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^\[there\] send 2 packages/),
    })
    expect([has('store'), valid('store')]).toEqual([[true, true], 2])
    expect(await copy(...options)).toMatchObject({ status: 0, stderr: '[there] send packages (all are there): done\n' })
  })

  test('names paths that the sending side does not have', async () => {
    const absent = ['a', 'b'].map((name) => join(directory, 'store', `${name.repeat(32)}-${name}`))
    const list = absent.map((path) => `'${path}'`).join(', ')
    for (const [direction, side] of [
      ['--to', 'this machine'],
      ['--from', `'${sshd.address}'`],
    ] as const) {
      const ended = await copy(direction, '-t', 'there', '-i', infrastructure, ...absent)
      expect(ended).toMatchObject({ status: 66, stdout: '' })
      expect(ended.stderr).toContain(`the store of ${side} does not have ${list} [invalid-path]`)
    }
  })

  test('uses the targets of what was deployed last', async () => {
    const missing = await copy('--from', '-t', 'there', profile)
    expect(missing).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('pass an infrastructure model with -i'),
    })
    const target = {
      properties: { hostname: sshd.address },
      containers: {},
      system: 'x86_64-linux',
      numOfCores: 1,
      clientInterface: 'ssh',
      targetProperty: 'hostname',
    }
    const empty = { profiles: {}, services: {}, serviceMappings: [], snapshotMappings: [] }
    const text = JSON.stringify({
      document: 'manifest',
      version: 2,
      store: { kind: 'native', directory: join(directory, 'store') },
      ...empty,
      infrastructure: { there: target },
    })
    const manifest = parseDocument(Manifest, text, { file: 'manifest' })
    const place = deploymentPlace(join(directory, 'state'), 'shop' as ProfileName)
    await addGeneration(place, { manifest, text, origin: { time: new Date(), user: '', host: '' } })
    for (const options of [[], ['--deployed']])
      expect(await copy('--from', '-t', 'there', '-p', 'shop', ...options, profile)).toMatchObject({ status: 0 })
    expect(valid('own')).toBe(2)
  })

  test('refuses what it cannot understand', async () => {
    const [path, other] = ['/store', '/else'].map((store) => `${store}/${'0'.repeat(32)}-web`) as [string, string]
    const rows = [
      [['-t', 'there', path], 'neither --to nor --from is given'],
      [['--to', '--from', '-t', 'there', path], '--to and --from cannot be combined'],
      [['--to', '-t', 'there'], 'no path is given'],
      [['--to', '-t', 'there', 'web'], "'web' is not a store path"],
      [['--to', '-t', 'there', path, other], `'${path}' and '${other}' are in different stores`],
      [['--to', '-t', 'their', '-i', infrastructure, path], "the infrastructure has no target 'their'"],
      [['--to', '-t', 'there', '-i', infrastructure, '--deployed', path], '--infrastructure and --deployed cannot be'],
      [['--to', path], "'--target'"],
    ] as const
    for (const [words, message] of rows)
      expect(await copy(...words)).toMatchObject({ status: 64, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('says that the target cannot be reached', async () => {
    const ended = await copy('--to', '-t', 'other', '-i', infrastructure, profile)
    expect(ended).toMatchObject({ status: 69, stderr: expect.stringContaining("cannot reach 'other'") })
  })
})

describe.skipIf(noPrivateNix !== undefined || MISSING !== undefined)('davit-copy-closure with Nix', () => {
  const coordinator = privateNixOfFile()
  const target = privateNixOfFile()
  const state = mkdtempSync(join(tmpdir(), 'davit-copy-closure-nix-'))
  let sshd: TestSshd

  beforeAll(async () => {
    const environment = `NIX_CONF_DIR=${target.directory}/conf DAVIT_STATE_DIR=${state}`
    const command = `${target.directory}/bin/in-private-nix sh -c "$SSH_ORIGINAL_COMMAND"`
    sshd = await startSshd({ lines: [`SetEnv ${environment}`, `ForceCommand ${command}`] })
  })
  afterAll(async () => {
    await sshd?.stop()
    removeTree(state)
  })

  test('copies to and from', async () => {
    const sent = buildClosures(coordinator, ['sent'])('sent')
    const fetched = buildClosures(target, ['fetched'])('fetched')
    here = [`${coordinator.directory}/bin/in-private-nix`]
    const infrastructure = infrastructureFile({ hostname: sshd.address })
    const copy = (direction: string, path: StorePath) =>
      copyClosure([direction, '-t', 'there', '-i', infrastructure, path], {
        ...sshd.environment,
        ...coordinator.environment,
        DAVIT_STATE_DIR: join(directory, 'state'),
      })
    expect(await copy('--to', sent[1])).toMatchObject({ status: 0, stderr: expect.stringContaining('send 2 packages') })
    expect(validOf(target, sent)).toEqual(sent)
    expect(await copy('--from', fetched[1])).toMatchObject({ status: 0, stderr: expect.stringContaining('fetch 2') })
    expect(validOf(coordinator, fetched)).toEqual(fetched)
    expect(await copy('--from', fetched[1])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('all are here'),
    })
  })
})
