import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, beginWanted, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, parseDocument, type ProfileName, type StorePath } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { GUESTBOOK, manifestOf, type SystemSpec } from '@davit/transition/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

/** The page in another version, and something more. */
const REPAINTED: SystemSpec = {
  services: {
    ...GUESTBOOK.services,
    page: { ...GUESTBOOK.services['page']!, version: 2 },
    more: { on: ['db/process'] },
  },
}
/** The store in another version, and so all others. */
const UPGRADED: SystemSpec = { services: { ...GUESTBOOK.services, store: { on: ['db/process'], version: 2 } } }

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write('old.xml', GUESTBOOK)
  write('repainted.json', REPAINTED)
  write('upgraded.xml', UPGRADED)
})

function made(system: SystemSpec): Manifest {
  const manifest = manifestOf(system)
  const isNew = (target: string) => system === UPGRADED || (system === REPAINTED && target === 'web')
  const names = [...manifest.infrastructure.keys()]
  return {
    ...manifest,
    profiles: new Map(
      names.map((name) => [name, `/store/${(isNew(name) ? '2' : '1').repeat(32)}-${name}` as StorePath]),
    ),
  }
}

function write(file: string, system: SystemSpec): void {
  writeFileSync(join(directory, file), encodeDocument(Manifest, made(system), file.endsWith('.xml') ? 'xml' : 'json'))
}

const select = (...argv: readonly string[]) => {
  const files = argv.map((word) => (/\.(xml|json)$/.test(word) ? join(directory, word) : word))
  return runHere(tool, files, { environment: { DAVIT_STATE_DIR: join(directory, 'state') } })
}

const place = () => deploymentPlace(join(directory, 'state'), 'default' as ProfileName)

async function deploy(system: SystemSpec): Promise<void> {
  const manifest = made(system)
  const text = encodeDocument(Manifest, manifest, 'json')
  await addGeneration(place(), { manifest, text, origin: { time: new Date(0), user: 'root', host: 'desk' } })
}

function mappingsIn(text: string): string {
  const { services, serviceMappings } = parseDocument(Manifest, text, { file: 'part' })
  return serviceMappings
    .map(({ service, target }) => `${services.get(service)?.pkg.slice(7, 9)}${services.get(service)?.name}@${target}`)
    .join(' ')
}

describe('davit-select', () => {
  test('prints names of what is deployed, which shells complete', async () => {
    expect(await select('--list-names', 'targets')).toEqual({ status: 0, stdout: '', stderr: '' })
    await deploy(GUESTBOOK)
    const of = async (kind: string) => (await select('--list-names', kind)).stdout.trim().split('\n')
    expect(await of('targets')).toEqual(['db', 'web'])
    expect(await of('services')).toEqual(['api', 'page', 'store'])
    expect(await of('selections')).toEqual(['db', 'web', 'service:api', 'service:page', 'service:store'])
  })

  test('prints what is selected as it is wanted, and the rest as it is deployed', async () => {
    await deploy(GUESTBOOK)
    const { stdout, ...ended } = await select('--on', 'web', 'repainted.json')
    expect(ended).toEqual({ status: 0, stderr: '' })
    expect(mappingsIn(stdout)).toBe('11api@web 22page@web 11store@db')
    expect(
      [...parseDocument(Manifest, stdout, { file: 'part' }).profiles.values()].map((path) => path.slice(7, 9)),
    ).toEqual(['11', '22'])
    expect(stdout.startsWith('{')).toBe(true)
  })

  test('prints the manifest as it was given if all that is new is selected', async () => {
    await deploy(GUESTBOOK)
    const given = readFileSync(join(directory, 'upgraded.xml'), 'utf8')
    expect(await select('--on', '*', 'upgraded.xml')).toEqual({ status: 0, stdout: given, stderr: '' })
    expect(await select('--on', '*', '--format', 'json', 'upgraded.xml')).toMatchObject({ status: 0, stdout: /^{/ })
  })

  test('compares with a manifest that is named instead of the generation', async () => {
    const { stdout } = await select('--on', 'db', '-o', 'old.xml', '--format', 'xml', 'repainted.json')
    expect(mappingsIn(stdout)).toBe('11api@web 11more@db 11page@web 11store@db')
  })

  test('before the first deployment, only what is selected is there', async () => {
    expect(mappingsIn((await select('--on', 'db', 'old.xml')).stdout)).toBe('11store@db')
  })

  test('lists what is selected', async () => {
    const listed = (on: string) =>
      select('--list', '--on', on, '-o', 'old.xml', 'upgraded.xml').then(({ stdout }) => stdout)
    expect(await listed('w*')).toBe('web\n')
    expect(await listed('service:...api')).toBe('service:api@web\nservice:page@web\n')
  })

  test('takes several values, and the variable DAVIT_ON', async () => {
    const listed = await select('--list', '--on', 'db', '--on', 'web', '-o', 'old.xml', 'upgraded.xml')
    expect(listed.stdout).toBe('db\nweb\n')
    const environment = { DAVIT_STATE_DIR: join(directory, 'state'), DAVIT_ON: 'db,!service:store' }
    expect(await runHere(tool, ['--list', join(directory, 'old.xml')], { environment })).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('nothing is selected') as string,
    })
  })

  test('refuses a part that would break what is left out, and names what is missing', async () => {
    await deploy(GUESTBOOK)
    expect(await select('--on', 'db', 'upgraded.xml')).toEqual({
      status: 1,
      stdout: '',
      stderr: `error: 'api' on 'web', which is left out, needs 'store' on 'db', which would be replaced or stopped
davit-select: what is selected cannot be deployed without the rest [part-refused]
hint: nothing was done; select them as well: --on 'service:api,service:page'
`,
    })
  })

  test('refuses to leave out what a run has begun that was cut off', async () => {
    await deploy(GUESTBOOK)
    const { store, api, page } = REPAINTED.services
    const { profiles } = made(REPAINTED)
    const manifest = { ...manifestOf({ services: { store: store!, api: api!, page: page! } }), profiles }
    const wanted = { run: 'r', isTold: false, text: encodeDocument(Manifest, manifest, 'json'), madeFrom: {}, manifest }
    await beginWanted(place(), wanted, { addRoot: async () => {} })
    expect(await select('--on', 'db', 'repainted.json')).toMatchObject({
      status: 1,
      stderr: `davit-select: a run was cut off that had begun to change 'web', which would be left out [part-unfinished]
hint: nothing was done; 'davit-env --resume' continues it, 'davit-env --abort' takes it back, and a run without --on does it as well
`,
    })
    expect(await select('--on', 'web', 'repainted.json')).toMatchObject({ status: 0, stderr: '' })
  })

  test.each([
    [['old.xml'], 64, 'davit-select: nothing is selected [usage]\nhint: say what with --on\n'],
    [
      ['--on', 'wbe', 'old.xml'],
      64,
      "davit-select: nothing matches 'wbe' [nothing-selected]\nhint: did you mean 'web'?\n",
    ],
    [
      ['--on', 'web,', 'old.xml'],
      64,
      'davit-select: a selection contains an empty name [invalid-selection]\nhint: expected names of targets, @TAG, service:NAME or service:...NAME, separated by commas, with ! before what is left out\n',
    ],
    [
      ['--on', 'web', '-o', '-'],
      64,
      "davit-select: only one manifest can be '-' [usage]\nhint: name a file for the other\n",
    ],
  ])('refuses %j', async (argv, status, stderr) => {
    expect(await select(...argv)).toEqual({ status, stdout: '', stderr })
  })
})
