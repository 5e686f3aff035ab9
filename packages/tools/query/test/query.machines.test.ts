import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, parseDocument, ProfileManifestTargets, type ProfileName } from '@davit/documents'
import { DeployedTargets } from '@davit/inventory/testing'
import { writeYaml } from '@davit/languages'
import { fits, type Schema } from '@davit/testing/json-schema'
import { type CallHere, runHere } from '@davit/tool/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const open = DeployedTargets.ofFile()
let targets: DeployedTargets
beforeEach(async () => void (targets = await open()))

const SCHEMA = new URL('../../../../docs/formats/schemas/inventory.json', import.meta.url)
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g

async function query(argv: readonly string[], call: CallHere = {}) {
  const ended = await runHere(tool, argv, { environment: targets.environment, directory: targets.directory, ...call })
  return { ...ended, stdout: ended.stdout.replaceAll(TIME, 'TIME').replaceAll(targets.directory, 'DIR') }
}

async function recordGeneration(): Promise<void> {
  const { manifest } = targets
  await addGeneration(deploymentPlace(targets.environment['DAVIT_STATE_DIR']!, 'default' as ProfileName), {
    manifest,
    text: encodeDocument(Manifest, manifest, 'json'),
    origin: { time: new Date(0), user: 'root', host: 'desk' },
  })
}

/** The targets as a model, with another one that cannot be reached. */
function infrastructure({ away = false } = {}): string {
  const model = Object.fromEntries(
    ['back', 'front', 'spare'].map((name) => [
      name,
      { clientInterface: 'local', properties: { hostname: 'localhost' }, containers: { box: { port: 1 } } },
    ]),
  )
  const unreachable = { away: { clientInterface: '/nonexistent', properties: { hostname: 'x' } } }
  return targets.write('infrastructure.yaml', writeYaml({ ...model, ...(away ? unreachable : {}) }))
}

describe('davit-query', () => {
  test('lists the packages on each target', async () => {
    const { status, stdout, stderr } = await query([infrastructure()])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.replaceAll(/[0-9a-z]{32}-/g, '')).toBe(`back
  DIR/store/api
  DIR/store/web
front
  DIR/store/web
spare
`)
  })

  test('asks only the targets that are selected', async () => {
    const { stdout, ...ended } = await query(['--on', 'f*,!spare', infrastructure({ away: true })])
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    expect(stdout.split('\n').filter((line) => /^\w/.test(line))).toEqual(['front'])
    const misspelt = await query(['--on', 'frotn', infrastructure()])
    expect(misspelt).toMatchObject({ status: 64, stderr: expect.stringContaining("did you mean 'front'?") as string })
  })

  test('lists the services in each container', async () => {
    const { stdout } = await query(['-f', 'containers', infrastructure()])
    expect(stdout).toBe('back\n  box\n    api\n    web\nfront\n  box\n    web\nspare\n')
  })

  test('shows a table, and below it what is not as it should be', async () => {
    await recordGeneration()
    expect(await query(['--status'])).toEqual({
      status: 0,
      stderr: '',
      stdout: `TARGET  CONTAINER  SERVICE  PACKAGE  STATE    SINCE
back    box        api      api      active   TIME
back    box        web      web      runs     TIME
front   box        web      web      runs     TIME
spare                                nothing
`,
    })
    targets.stop('web')
    rmSync(join(targets.record('back', 'api')), { recursive: true })
    const { status, stdout } = await query(['--status'], { columns: 40 })
    expect([status, stdout]).toEqual([
      2,
      `TARGET  CONTAINER  SERVICE  STATE
back    box        api      missing
back    box        web      does not run
front   box        web      does not run
spare                       nothing

back: api in box: not active, although it is deployed
back: web in box: does not run
front: web in box: does not run
`,
    ])
  })

  test('compares with the manifest that is given, with the current generation, or with the profiles', async () => {
    await recordGeneration()
    const other = encodeDocument(Manifest, targets.withProperty('front', 2), 'xml')
    const changed = 'front: web in box: container properties changed: port\n'
    for (const [argv, input, note] of [
      [[targets.write('manifest.xml', other)], undefined, changed],
      [['-'], other, changed],
      [['--deployed'], undefined, ''],
      [[infrastructure()], undefined, ''],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, stdout } = await query(['--status', ...argv], input === undefined ? {} : { input })
      expect([argv, status, stdout.split('\n\n')[1] ?? '']).toEqual([argv, note === '' ? 0 : 2, note])
    }
  })

  test('prints JSON that fits its schema, with what is not as it should be', async () => {
    targets.stop('web')
    const { status, stdout } = await query([
      '--status',
      '-f',
      'json',
      '--trust-programs',
      infrastructure({ away: true }),
    ])
    const document = JSON.parse(stdout) as Record<string, unknown>
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema
    expect([status, fits(schema, document)]).toEqual([69, true])
    expect(document).toMatchObject({
      document: 'inventory',
      version: 1,
      profile: 'default',
      targets: [
        { target: 'away', error: { code: 'client-failed' }, services: [], drift: [] },
        {
          target: 'back',
          services: [
            { service: 'api', container: 'box', type: 'silent', state: 'active', drift: [] },
            { service: 'web', status: 'does-not-run', drift: [{ kind: 'died', text: 'does not run' }] },
          ],
        },
        { target: 'front' },
        { target: 'spare', services: [], drift: [] },
      ],
    })
  })

  test('prints the profile manifests in XML and in the Nix language', async () => {
    const { stdout } = await query(['-f', 'xml', infrastructure()])
    const read = parseDocument(ProfileManifestTargets, stdout.replaceAll('DIR', targets.directory), { file: 'query' })
    const services = [...read].map(([name, { profileManifest }]) => [
      name,
      ...profileManifest.serviceMappings.map(({ service, target }) => `${service} on ${target}`),
    ])
    expect(services).toEqual([['back', 'key-api on back', 'key-web on back'], ['front', 'key-web on front'], ['spare']])
    const nix = await query(['-f', 'nix', infrastructure()])
    expect(nix.stdout).toContain('  front = {\n    profileManifest = {\n      serviceMappings = [\n')
  })

  test('lists the other targets if one cannot be reached', async () => {
    const { status, stdout, stderr } = await query(['-f', 'table', '--trust-programs', infrastructure({ away: true })])
    expect([status, stderr]).toEqual([69, expect.stringContaining('[away] warning: cannot tell what is there: ')])
    expect(stdout).toContain('away                                 cannot be asked\nback    box        api')
  })

  test('shows the result again and again until it is interrupted', async () => {
    await recordGeneration()
    const { status, stdout, stderr } = await query(['--watch'], {
      columns: 80,
      onOutput: (printed, interrupt) => void (printed.split('\u001B[H\u001B[J').length > 2 && interrupt()),
    })
    expect([status, stdout.split('\u001B[H\u001B[J').length]).toEqual([130, 3])
    expect(stderr).toBe('')
  })

  test('shows no control character of a target', async () => {
    const record = join(targets.record('front', 'web'), 'record')
    writeFileSync(record, readFileSync(record, 'utf8').replace(/^name .*/m, 'name \u001B[2Jweb'))
    for (const format of ['services', 'containers', 'table', 'json', 'xml', 'nix']) {
      // oxlint-disable-next-line no-await-in-loop
      const { stdout, stderr } = await query(['-f', format, infrastructure()])
      expect([format, stdout.includes('\u001B'), stderr.includes('\u001B')]).toEqual([format, false, false])
    }
  })

  test.each([
    [[], 1, "nothing is deployed as 'default'"],
    [['infrastructure.yaml', '--deployed'], 64, "'infrastructure.yaml' and --deployed cannot be combined"],
    [['--status', '-f', 'xml'], 64, 'the format xml has no place for what --status finds'],
    [['gone.yaml'], 66, "cannot read 'gone.yaml'"],
    [['-f', 'html'], 64, "'html'"],
  ])('refuses %j with status %i', async (argv, status, message) => {
    const ended = await query(argv)
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})
