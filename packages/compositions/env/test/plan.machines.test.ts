import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import {
  encodeDocument,
  Manifest,
  parseDocument,
  type PlanDocument,
  type ProfileName,
  type StorePath,
} from '@davit/documents'
import { DeployedTargets } from '@davit/inventory/testing'
import { fits, type Schema } from '@davit/testing/json-schema'
import { type CallHere, runHere } from '@davit/tool/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { plan as tool } from '../src/plan/plan.ts'

const open = DeployedTargets.ofFile()
let targets: DeployedTargets
beforeEach(async () => {
  targets = await open()
  await addGeneration(deploymentPlace(targets.environment['DAVIT_STATE_DIR']!, 'default' as ProfileName), {
    manifest: targets.manifest,
    text: encoded(targets.manifest),
    origin: { time: new Date(0), user: 'root', host: 'desk' },
  })
})

const SCHEMA = new URL('../../../../docs/formats/schemas/plan.json', import.meta.url)

function encoded(manifest: Manifest): string {
  return encodeDocument(Manifest, manifest, 'json')
}

function write(name: string, manifest: Manifest): string {
  return targets.write(name, encoded(manifest))
}

/** The deployment without `api`, to which `web` connects. */
function withoutApi(): Manifest {
  const { manifest } = targets
  const without = ({ service }: { readonly service: string }) => service !== 'key-api'
  return {
    ...manifest,
    services: new Map(
      [...manifest.services]
        .filter(([key]) => key !== 'key-api')
        .map(([key, one]) => [key, { ...one, connectsTo: [] }]),
    ),
    serviceMappings: manifest.serviceMappings.filter(without),
  }
}

async function plan(argv: readonly string[], call: CallHere = {}) {
  const ended = await runHere(tool, argv, { environment: targets.environment, directory: targets.directory, ...call })
  return { ...ended, stdout: ended.stdout.replaceAll(targets.directory, 'DIR') }
}

describe('davit-plan', () => {
  test('has nothing to do where all is as it should be', async () => {
    expect(await plan([], { input: encoded(targets.manifest) })).toEqual({
      status: 0,
      stdout: 'nothing to do\n',
      stderr: '',
    })
  })

  test('shows what is to be done, by what is found on the targets', async () => {
    rmSync(targets.up('web'))
    const { status, stdout, stderr } = await plan([write('next.json', withoutApi())])
    expect([status, stderr]).toEqual([2, ''])
    expect(stdout).toBe(`- deactivate api in box on back (removed)
~ restart web in box on back and front (no longer running)

service web changes
  - connects to api in box on back

2 to restart, 1 to deactivate, on 2 targets
longest chain: 2 steps: deactivate api → activate web
`)
  })

  test('shows it by target, in colours, as wide as the terminal', async () => {
    rmSync(targets.up('web'))
    const file = write('next.json', withoutApi())
    const environment = { ...targets.environment, TERM: 'xterm' }
    const { stdout } = await plan(['--by', 'target', file], { columns: 40, environment })
    expect(stdout).toContain('\u001b[1mback\u001b[m\n  \u001b[31m- deactivate'.replace('  \u001b[31m', '\u001b[31m  '))
    const plain = await plan(['--by', 'target', file], { columns: 40, environment: { ...environment, NO_COLOR: '1' } })
    expect(plain.stdout).toBe(stdout.replaceAll(/\u001b\[\d*m/g, ''))
    expect(Math.max(...plain.stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(40)
  })

  test('prints and saves a document that its schema describes', async () => {
    const { status, stdout } = await plan(['-f', 'json', '--out', 'plan.json', write('next.json', withoutApi())])
    expect(status).toBe(2)
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema
    expect(fits(schema, JSON.parse(stdout))).toBe(true)
    expect(readFileSync(join(targets.directory, 'plan.json'), 'utf8').replaceAll(targets.directory, 'DIR')).toBe(stdout)
    expect(JSON.parse(stdout)).toMatchObject({ against: 'targets', transfers: [], summary: { deactivate: 1 } })
  })

  test('tells what other targets lack, and which profiles change', async () => {
    const { manifest } = targets
    const profiles = new Map([...manifest.profiles, ['spare' as never, manifest.profiles.get('front' as never)!]])
    const { status, stdout } = await plan([write('next.json', { ...manifest, profiles })])
    // All of them are this machine, whose store has everything.
    expect([status, stdout]).toEqual([2, 'no service changes\n1 profile to set\n'])
  })

  test('warns of changed properties without their values, and restarts them on request', async () => {
    const file = write('next.json', targets.withProperty('front', 54_321))
    const kept = await plan([file])
    expect([kept.status, kept.stdout]).toEqual([
      0,
      '= keep web in box on front unchanged (container properties changed: port)\n\nnothing to do, 1 kept with changed settings\n',
    ])
    const restarted = await plan(['--restart-changed', '-f', 'markdown', file])
    expect([restarted.status, restarted.stdout]).toEqual([
      2,
      expect.stringContaining('| `~` | restart web in box | front |'),
    ])
    expect(restarted.stdout + kept.stdout).not.toContain('54321')
  })

  test('leaves targets alone that cannot be reached, if it may, and otherwise refuses', async () => {
    const { infrastructure } = targets.manifest
    const away = { ...infrastructure.get('spare' as never)!, clientInterface: '/nonexistent' }
    const file = write('away.json', {
      ...withoutApi(),
      infrastructure: new Map([...infrastructure, ['away' as never, away]]),
    })
    expect(await plan(['--skip-unreachable', file])).toMatchObject({ status: 77, stdout: '' })
    expect(await plan(['--trust-programs', file])).toMatchObject({ status: 69, stdout: '' })
    const { status, stdout } = await plan(['--trust-programs', '--skip-unreachable', file])
    expect([status, stdout]).toEqual([2, expect.stringContaining('\nnot reached, and left alone: away\n')])
  })

  test('plans for what is selected, and asks no other target', async () => {
    rmSync(targets.up('web'))
    const { infrastructure } = targets.manifest
    const away = { ...infrastructure.get('back' as never)!, clientInterface: '/nonexistent' }
    const next = {
      ...targets.withProperty('front', 7),
      infrastructure: new Map([...targets.withProperty('front', 7).infrastructure, ['back' as never, away]]),
    }
    const options = ['--on', 'front', '--restart-changed', write('next.json', next)]
    const { status, stdout, stderr } = await plan(options)
    expect([status, stderr]).toEqual([2, ''])
    expect(stdout).toBe(
      '~ restart web in box on front (no longer running; container properties changed: port)\n\n1 to restart, on 1 target\nlongest chain: 2 steps: deactivate web → activate web\n',
    )
    const { skipped, manifest } = JSON.parse((await plan(['-f', 'json', ...options])).stdout) as PlanDocument
    expect([skipped, JSON.stringify(manifest)]).toEqual([[], expect.not.stringContaining('/nonexistent')])
    expect((await plan(['--on', 'spare', write('same.json', targets.manifest)])).stdout).toBe('nothing to do\n')
  })

  test('shows what changes in the files of packages, as far as both are here, and no control character of them', async () => {
    const pkg = (version: string, files: Readonly<Record<string, string>>) => {
      const path = join(targets.directory, 'store', `${version.repeat(32)}-web${version}`)
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), text)
      }
      return path as StorePath
    }
    const withPackage = (path: StorePath): Manifest => {
      const text = encoded(targets.manifest).replaceAll('key-web', `key-web-${path.slice(-5)}`)
      return parseDocument(Manifest, text.replaceAll(targets.pkg('web'), path), { file: 'web' })
    }
    const before = pkg('0', { 'bin/web': 'one\n  two  words\nthree\n', old: 'gone\n', picture: 'a\0b' })
    const after = pkg('1', {
      'bin/web': 'one\n  2  \u001b[31mwords\nthree\n',
      new: 'here\n',
      picture: 'a\0c',
      'x\n\n+forged': '',
    })
    symlinkSync('/nonexistent', join(after, 'link'))
    const argv = ['--from', write('old.json', withPackage(before)), write('next.json', withPackage(after))]
    expect((await plan(argv)).stdout).not.toContain('@@')
    const { status, stdout } = await plan(['--files', ...argv], { columns: 40 })
    expect(status).toBe(2)
    expect(stdout).toContain(`
    --- bin/web
    +++ bin/web
    @@ -1,3 +1,3 @@
     one
    -  two  words
    +  2  \\u001b[31mwords
     three
    only now: link
    only now: new
    only before: old
    Binary files picture and picture differ
    only now: x\\n\\n+forged
`)
    expect((await plan(['--files', '-f', 'markdown', ...argv])).stdout).toContain('\n+  2  \\u001b[31mwords\n')
    rmSync(before, { recursive: true })
    expect((await plan(['--files', ...argv])).stdout).toContain(
      `    its files cannot be compared: DIR/store/${'0'.repeat(32)}-web0 is not on this machine\n`,
    )
  })

  test('plans from one manifest to a part of another', async () => {
    const old = write('old.json', targets.manifest)
    const next = write('next.json', { ...targets.withProperty('front', 2) })
    const on = (selection: string) => plan(['--from', old, '--restart-changed', '--on', selection, next])
    expect(await on('front')).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('restart web in box on front'),
    })
    expect(await on('back')).toMatchObject({ status: 0, stdout: 'nothing to do\n' })
    expect(await on('frnt')).toMatchObject({ status: 64, stdout: '', stderr: expect.stringContaining("'front'") })
  })

  test('plans from one manifest to another without asking a machine', async () => {
    const { manifest } = targets
    const away = new Map(
      [...manifest.infrastructure].map(([name, one]) => [name, { ...one, clientInterface: '/nonexistent' }]),
    )
    const old = write('old.json', { ...manifest, infrastructure: away })
    const changed = { ...targets.withProperty('front', 2), serviceMappings: withoutApi().serviceMappings }
    const next = write('next.json', { ...changed, services: withoutApi().services })
    const { status, stdout, stderr } = await plan(['--from', old, next])
    expect([status, stderr]).toEqual([2, ''])
    expect(stdout).toBe(`- deactivate api in box on back (removed)
= keep web in box on back unchanged (connectsTo changed: api)
= keep web in box on front unchanged (container properties changed: port; connectsTo changed: api)

service web changes
  - connects to api in box on back

1 to deactivate, 2 kept with changed settings, on 1 target
`)
    expect(await plan(['--from', old, old])).toMatchObject({ status: 0, stdout: 'nothing to do\n' })
    expect((await plan(['--from', '-', next], { input: readFileSync(old, 'utf8') })).stdout).toBe(stdout)
  })

  test('changes nothing', async () => {
    rmSync(targets.up('web'))
    const before = readFileSync(join(targets.record('back', 'web'), 'state'))
    await plan([write('next.json', withoutApi())])
    expect(readFileSync(join(targets.record('back', 'web'), 'state'))).toEqual(before)
    expect(existsSync(targets.up('web'))).toBe(false)
  })

  test.each([
    [['-s', 's', 'm.json'], 'a manifest cannot be combined with models'],
    [['-s', 's'], 'the infrastructure model (-i) and the distribution model (-d) are missing'],
    [['-D', 'd', '-A', 'a'], "option '--deployment' cannot be combined with models"],
    [['--files', '-f', 'json', 'y'], "options '--files' and '--format json' cannot be combined"],
    [['--from', '-'], "only one manifest can be '-'"],
    [['--from', 'x', '--repair', 'y'], "options '--from' and '--repair' cannot be combined"],
    [['--out', '', 'y'], "option '--out' needs a value"],
    [[], 'standard input is a terminal'],
  ])('%j is refused: %s', async (argv, message) => {
    const { status, stdout, stderr } = await plan(argv)
    expect([status, stdout]).toEqual([64, ''])
    expect(stderr).toContain(message)
  })

  test('refuses an empty document, and another one', async () => {
    expect(await plan([], { input: '' })).toMatchObject({ status: 66, stdout: '' })
    expect(await plan([], { input: '{}' })).toMatchObject({ status: 65, stdout: '' })
  })
})
