import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace, writeLeftBehind } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { DeployedTargets } from '@davit/inventory/testing'
import { writeYaml } from '@davit/languages'
import { fits, type Schema } from '@davit/testing/json-schema'
import { type CallHere, runHere } from '@davit/tool/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const SCHEMA = new URL('../../../../docs/formats/schemas/checkup.json', import.meta.url)

const open = DeployedTargets.ofFile()
let targets: DeployedTargets
beforeEach(async () => void (targets = await open()))

async function doctor(argv: readonly string[], call: CallHere = {}) {
  const { environment, directory } = targets
  const ended = await runHere(tool, argv, { environment, directory, ...call })
  return { ...ended, stdout: ended.stdout.replaceAll(directory, 'DIR') }
}

const place = () => deploymentPlace(targets.environment['DAVIT_STATE_DIR']!, 'default' as ProfileName)

async function recordGeneration(): Promise<void> {
  const { manifest } = targets
  const text = encodeDocument(Manifest, manifest, 'json')
  await addGeneration(place(), { manifest, text, origin: { time: new Date(0), user: 'root', host: 'desk' } })
}

function infrastructure(more: object = {}, names = ['back', 'front', 'spare']): string {
  const local = { clientInterface: 'local', properties: { hostname: 'localhost' }, containers: { box: { port: 1 } } }
  return targets.write(
    'infrastructure.yaml',
    writeYaml({ ...Object.fromEntries(names.map((name) => [name, local])), ...more }),
  )
}

/** The section of the targets, without what stands below it. */
function onTargets(stdout: string): readonly string[] {
  const lines = stdout.split('\n')
  const first = lines.findIndex((line) => /^(?:back|front|spare)\b/.test(line))
  return first === -1 ? [] : lines.slice(first, lines.indexOf('', first))
}

const below = (...names: readonly string[]) => join(targets.directory, 'state', ...names)

describe('davit-doctor', () => {
  test('looks at this machine, and at the targets of what was deployed last', async () => {
    await recordGeneration()
    const { stdout, stderr } = await doctor([])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^this machine \(.*\)\n {2}ok {7}davit [\d.]+, Node\.js [\d.]+\n/)
    expect(stdout).toContain("  ok       generation 1 of 'default', on 3 targets\n")
    expect(stdout).toMatch(/ {2}ok {7}OpenSSH_/)
    const [title, reached, ...others] = onTargets(stdout)
    expect([title, reached, others.at(-1)]).toEqual([
      'back, front, spare (local)',
      '  ok       reached as local',
      "  ok       3 services of 'default'",
    ])
  })

  test('looks at this machine if nothing is deployed, or if its state is damaged', async () => {
    const { stdout } = await doctor([])
    expect(stdout).toContain("  ok       nothing is deployed as 'default'\n")
    expect(stdout).toMatch(/\nthis machine: /)
    await recordGeneration()
    writeFileSync(join(place(), 'generations/1/manifest'), '')
    writeFileSync(join(place(), 'current'), 'garbage\n')
    const damaged = await doctor([])
    expect([damaged.status, damaged.stdout]).toEqual([2, expect.stringMatching(/ {2}error {4}/)])
  })

  test('looks at the rest if the system refuses to look at its state', async () => {
    mkdirSync(below(), { recursive: true })
    rmSync(below('coordinator'), { recursive: true, force: true })
    symlinkSync('coordinator', below('coordinator'))
    const { status, stdout, stderr } = await doctor([])
    expect([status, stderr]).toEqual([2, ''])
    expect(stdout).toContain("  error    cannot look at 'DIR/state/coordinator/default': too many symbolic links\n")
    expect(stdout).toMatch(/ {2}ok {7}OpenSSH_/)
  })

  test('tells what is wrong with targets, what it means, and what to do', async () => {
    await recordGeneration()
    mkdirSync(below('targets/spare/active/default'), { recursive: true })
    renameSync(targets.record('front', 'web'), targets.record('spare', 'web'))
    const record = join(targets.record('back', 'web'), 'record')
    writeFileSync(record, readFileSync(record, 'utf8').replace(/^pkg .*\n/m, ''))
    rmSync(targets.file('back', 'profiles', 'current'))
    symlinkSync('9-link', targets.file('back', 'profiles', 'current'))
    mkdirSync(below('targets/spare/active/default/nonsense:x y'), { recursive: true })
    writeFileSync(below('targets/spare/active/default/nonsense:x y/state'), '')
    const { status, stdout } = await doctor(['-q'])
    expect([status, onTargets(stdout).filter((line) => !line.includes('restart') && !line.includes('cron'))]).toEqual([
      2,
      expect.arrayContaining([
        'back, front, spare (local)',
        "  error    the current profile of 'default' on 'back' is gone",
        '           what is deployed there cannot be read back, and its packages may be gone too',
        '           → davit-env --switch-to-generation 1',
        "  error    the record of web in box on 'back' is damaged: it lacks pkg",
        '  warning  web is recorded as active, and not deployed',
        '           it was left behind, or another coordinator has deployed it',
        '           → davit-reconstruct, if another one has; otherwise davit-env --switch-to-generation 1',
        '  warning  web is deployed, and has no record',
        "  warning  'DIR/state/targets/spare/active/default/nonsense:x y' is among the records, and davit did not make it",
        "           → ls -la 'DIR/state/targets/spare/active/default/nonsense:x y'",
      ]),
    ])
    expect(stdout).not.toContain('  ok ')
  })

  test('tells of what was left behind, here and on targets that are not listed', async () => {
    const left = { name: 'web', service: 'key-web', target: 'gone', container: 'box' } as never
    await writeLeftBehind(place(), [left])
    const { stdout } = await doctor(['-q', infrastructure({}, ['front'])])
    expect(stdout).toContain("  warning  web may still run on 'gone', which was removed from the infrastructure\n")
    expect(stdout).toContain('→ davit-generations --forget gone, once it is stopped\n')
    expect(stdout).toContain("  warning  api, web of a target 'back' is here, which is not among the targets\n")
  })

  test('prints JSON that fits its schema; a target that cannot be reached is an error', async () => {
    const away = { clientInterface: 'ssh', properties: { hostname: '127.0.0.1:1' } }
    const { status, stdout } = await doctor(['--format', 'json', infrastructure({ away })])
    const document = JSON.parse(stdout) as Record<string, unknown>
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema
    expect([status, fits(schema, document)]).toEqual([2, true])
    expect(document).toMatchObject({
      document: 'checkup',
      version: 1,
      machines: [
        { targets: ['away'], checks: [{ topic: 'connection', severity: 'error', remedy: expect.anything() }] },
        { targets: ['back', 'front', 'spare'], name: 'local' },
      ],
    })
  })

  test('breaks lines for a terminal, but no commands', async () => {
    const { stdout } = await doctor([infrastructure()], { columns: 60 })
    const long = stdout.split('\n').filter((line) => line.length > 60 && !line.includes('→') && line.includes(' '))
    expect(long.filter((line) => line.trim().includes(' ') && !/\S{49}/.test(line))).toEqual([])
  })

  test('shows no control character of a target', async () => {
    const record = join(targets.record('front', 'web'), 'record')
    writeFileSync(record, readFileSync(record, 'utf8').replace(/^name .*/m, 'name \u001B[2Jweb'))
    for (const format of ['text', 'json']) {
      // oxlint-disable-next-line no-await-in-loop
      const { stdout, stderr } = await doctor(['--format', format, infrastructure()])
      expect([format, stdout.includes('\u001B'), stderr]).toEqual([format, false, ''])
    }
  })

  test.each([
    [['infrastructure.yaml', '--deployed'], 64, "'infrastructure.yaml' and --deployed cannot be combined"],
    [['gone.yaml'], 66, "cannot read 'gone.yaml'"],
    [['--format', 'html'], 64, "'html'"],
  ])('refuses %j with status %i', async (argv, status, message) => {
    const ended = await doctor(argv)
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})
