import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type ProfileName, type System } from '@davit/documents'
import { loadArchitecture } from '@davit/models'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { manifestOf } from '@davit/transition/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const SERVICES = `
db: { type: db, pkg: { source: . } }
api: { type: process, memoryMB: 600, pkg: { source: . }, dependsOn: [db] }
web: { type: process, tags: [edge], pkg: { source: . }, connectsTo: [api] }
site: { type: site, pkg: { source: . } }
host: { type: process, pkg: { source: . }, providesContainer: site }
tools: { type: package, pkg: { source: . } }
`
const INFRASTRUCTURE = `
t1: { properties: { hostname: t1, memoryMB: 1000 }, containers: { process: {}, db: {} } }
t2: { properties: { hostname: t2, memoryMB: 500, tags: edge }, containers: { process: {} } }
`

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write('services.yaml', SERVICES)
  write('infrastructure.yaml', INFRASTRUCTURE)
})

function write(name: string, text: string): void {
  writeFileSync(join(directory, name), text)
}

async function place(...words: readonly string[]) {
  const models = ['-s', join(directory, 'services.yaml'), '-i', join(directory, 'infrastructure.yaml')]
  const environment = { DAVIT_STATE_DIR: join(directory, 'state'), DAVIT_SYSTEM: 'x86_64-linux' }
  const ended = await runHere(tool, [...models, ...words], { environment, directory })
  return { ...ended, stderr: ended.stderr.replaceAll(`${directory}/`, '') }
}

/** A deployment in which the services are on these targets. */
function deployment(places: Readonly<Record<string, string>>): Manifest {
  const services = Object.entries(places).map(([name, on]) => [name, { on: [on] }] as const)
  return manifestOf({ services: Object.fromEntries(services) })
}

describe('davit-place', () => {
  test('prints where services go, by containers, tags and the order of names', async () => {
    expect(await place()).toEqual({
      status: 0,
      stderr: '',
      stdout: `api:
  - t1
db:
  - t1
host:
  - t2
site:
  - t2
tools:
  - t2
web:
  - t2
`,
    })
  })

  test('counts a capacity, and what services take of it', async () => {
    write(
      'services.yaml',
      'a: { type: process, memoryMB: 600, pkg: { source: . } }\nb: { type: process, memoryMB: 401, pkg: { source: . } }\n',
    )
    expect((await place('--capacity', 'memoryMB', '--format=json')).stdout).toBe(
      '{\n  "a": [\n    "t1"\n  ],\n  "b": [\n    "t2"\n  ]\n}\n',
    )
  })

  test('names a capacity that no target has, instead of services', async () => {
    expect(await place('--capacity', 'memryMB')).toEqual({
      status: 64,
      stdout: '',
      stderr: expect.stringMatching(
        /no target has a property 'memryMB' that is a number above zero.*\nhint: did you mean 'memoryMB'/,
      ),
    })
    expect((await place('--capacity', 'disk')).stderr).toContain("hint: targets have 'memoryMB', 'numOfCores'")
  })

  test.each(['deployed', 'previous'])('leaves services where they are: --%s', async (option) => {
    write('services.yaml', 'a: { type: process, pkg: { source: . } }\nb: { type: process, pkg: { source: . } }\n')
    const manifest = deployment({ a: 't2/process', b: 'gone/process', old: 't1/process' })
    const text = encodeDocument(Manifest, manifest, 'json')
    write('manifest.json', text)
    const origin = { time: new Date(0), user: 'root', host: 'desk' }
    await addGeneration(deploymentPlace(join(directory, 'state'), 'default' as ProfileName), { manifest, text, origin })
    const words = option === 'deployed' ? ['--deployed'] : ['--previous', join(directory, 'manifest.json')]
    expect(await place(...words)).toEqual({ status: 0, stderr: '', stdout: 'a:\n  - t2\nb:\n  - t1\n' })
  })

  test('places all services anew if nothing is deployed, and says so', async () => {
    const { status, stdout, stderr } = await place('--deployed')
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: (await place()).stdout })
    expect(stderr).toBe("nothing is deployed as 'default': all services are placed anew\n")
  })

  test('names services that no target can take with their places, and prints nothing', async () => {
    write('infrastructure.yaml', 't1: { properties: { hostname: t1 }, containers: { process: {} } }\n')
    expect(await place('--tags', 'api=ssd,eu')).toEqual({
      status: 1,
      stdout: '',
      stderr: `services.yaml:3:1: error: no target can take service 'api' of type 'process'
  api: { type: process, memoryMB: 600, pkg: { source: . }, dependsOn: [db] }
  ^
  hint: t1: no tags 'eu', 'ssd'
services.yaml:2:1: error: no target can take service 'db' of type 'db'
  db: { type: db, pkg: { source: . } }
  ^
  hint: t1: no container 'db'
services.yaml:4:1: error: no target can take service 'web' of type 'process'
  web: { type: process, tags: [edge], pkg: { source: . }, connectsTo: [api] }
  ^
  hint: t1: no tag 'edge'
davit-place: 3 services cannot be placed [unplaceable]
hint: add targets, or containers and tags to targets
`,
    })
  })

  test.each([
    [['--tags', 'web'], "--tags: 'web' is not SERVICE=TAG"],
    [['--tags', 'web=x,'], "--tags: 'web=x,' is not SERVICE=TAG"],
    [['--tags', 'wbe=x'], "--tags: there is no service 'wbe' [usage]\nhint: did you mean 'web'?"],
    [['--deployed', '--previous', 'm.xml'], '--previous and --deployed cannot be combined'],
  ])('refuses %j', async (words, message) => {
    const { status, stderr, stdout } = await place(...words)
    expect([status, stdout]).toEqual([64, ''])
    expect(stderr).toContain(message)
  })
})

const { environment } = privateNixOfFile()
const LANGUAGES = ['yaml', 'json', 'typescript', ...(noPrivateNix === undefined ? ['nix'] : [])]

test.each(LANGUAGES)('a distribution in %s is read with the same places', async (language) => {
  write(
    'infrastructure.yaml',
    `${INFRASTRUCTURE}t3: { properties: { hostname: t3 }, containers: { process: {}, second: {} } }\n`,
  )
  write('manifest.json', encodeDocument(Manifest, deployment({ api: 't3/second', host: 't2/process' }), 'json'))
  const file = join(directory, `distribution.${language === 'typescript' ? 'ts' : language}`)
  const { status } = await place('--format', language, '--output', file, '--previous', join(directory, 'manifest.json'))
  expect(status).toBe(0)
  const files = { services: 'services.yaml', infrastructure: 'infrastructure.yaml' }
  const model = await loadArchitecture(
    {
      ...Object.fromEntries(Object.entries(files).map(([role, name]) => [role, join(directory, name)])),
      distribution: file,
    },
    { system: 'x86_64-linux' as System, environment },
  )
  expect(Object.fromEntries([...model.services].map(([name, { targets }]) => [name, targets]))).toEqual({
    api: [{ target: 't3', container: 'second' }],
    db: [{ target: 't1' }],
    host: [{ target: 't2' }],
    site: [{ target: 't2' }],
    tools: [{ target: 't1' }],
    web: [{ target: 't2' }],
  })
})
