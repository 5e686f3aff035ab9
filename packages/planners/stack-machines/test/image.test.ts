import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { type BuildModel, emissionOf, run, type ServiceModel, servicesIn, stackOf, targetsNamed } from './testing.ts'

const TARGETS = targetsNamed(['one'], ['process', 'fileset', 'docker-container'])

function serviceOf(container: string, others: Readonly<Record<string, string>> = {}): ServiceModel {
  const texts = stackOf({ main: `type: mu/container, ${container}`, ...others })
  return servicesIn(emissionOf(texts, { targets: TARGETS }))['shop.main']!
}

function builtOf({ script }: BuildModel, image = '') {
  const out = join(scratchDirectory(), 'out')
  const outcome = run(['/bin/sh', '-eu', '-c', script], { out, image })
  return { out, ...outcome }
}

function lineOf(text: string): string {
  return text.replaceAll(/\\[n\\]/g, (escape) => (escape === '\\n' ? '\n' : '\\'))
}

test('an image of the machine runs with its network, command, variables and volumes', () => {
  const values = { A: '\'$(x) "\\n', B: 'END\nlast\n', C: 'x'.repeat(1000) }
  const service = serviceOf(
    `image: "registry.example/web:1", ports: [8080, 8081], protocol: https, command: [serve, "", "a\\nb", "c\\\\n"], volumes: { /srv/data: disk, DISK: disk }, links: { db: db }, env: ${JSON.stringify(values)}`,
    { disk: 'type: mu/volume', db: 'type: mu/container, image: db, port: 5' },
  )
  expect(service).toMatchObject({ type: 'docker-container', port: 8080, ports: [8080, 8081], protocol: 'https' })
  expect(service).toMatchObject({ dependsOn: { db: 'shop.db' }, activatesAfter: ['shop.disk'] })
  const { out, stderr } = builtOf(service.pkg.build!)
  expect(stderr).toBe('')
  const read = (kind: string) => readFileSync(join(out, `container-docker-${kind}`), 'utf8')
  expect(read('settings')).toBe(
    'dockerImage=\ndockerImageTag=registry.example/web:1\ndockerStopTimeout=10\ndockerReadyPort=8080\n',
  )
  const disk = '/var/lib/davit/volumes/shop.disk'
  expect(read('createparams')).toBe(`--network=host\n--volume=${disk}:/srv/data\n--volume=${disk}:${disk}\n`)
  expect(read('command')).toBe('serve\n\na\\nb\nc\\\\n\n')
  const variables = read('environment').trimEnd().split('\n').map(lineOf)
  const { A, B, C } = values
  expect(variables).toEqual([
    'PORT=8080',
    'DB=http://one.example:5',
    'DB_HOST=one.example',
    'DB_PORT=5',
    'DB_ALL=http://one.example:5',
    `DISK=${disk}`,
    `A=${A}`,
    `B=${B}`,
    `C=${C}`,
  ])
})

test('a volume that is a wrapper has its mode in an image as well', () => {
  const texts = stackOf({ main: 'type: mu/container, image: x, volumes: { D: v }', v: 'type: mu/volume, mode: "0700"' })
  const targets = targetsNamed(['one'], ['docker-container', 'wrapper'])
  expect(servicesIn(emissionOf(texts, { targets }))['shop.v']?.pkg.build?.script).toContain("mode='0700'")
})

test('an image without anything else needs no more files', () => {
  const { out } = builtOf(serviceOf('image: web').pkg.build!)
  expect(readFileSync(join(out, 'container-docker-settings'), 'utf8')).toContain('dockerImageTag=web\n')
  expect(existsSync(join(out, 'container-docker-command'))).toBe(false)
  expect(existsSync(join(out, 'container-docker-environment'))).toBe(false)
})

/** An archive like those of `docker save`. */
function archiveOf(manifest: string): string {
  const directory = scratchDirectory()
  mkdirSync(join(directory, 'files'))
  writeFileSync(join(directory, 'files/manifest.json'), manifest)
  const path = join(directory, 'image.tar.gz')
  spawnSync('tar', ['-czf', path, '-C', join(directory, 'files'), 'manifest.json'])
  return path
}

test.each([
  ['docker', '[{"Config":"x.json","RepoTags":["web:1","web:2"],"Layers":["a/layer.tar"]}]'],
  ['another program', '[ {\n "Layers": ["a"],\n "RepoTags": [\n"web:1" ]\n} ]'],
])('an archive of %s tells what its image is called', (_, manifest) => {
  const { build } = serviceOf('image: ./images/web.tar').pkg
  expect(build?.inputs).toEqual({ image: { source: '/w/images/web.tar', name: 'image' } })
  const image = archiveOf(manifest)
  const { out, stderr } = builtOf(build!, image)
  expect(stderr).toBe('')
  const settings = readFileSync(join(out, 'container-docker-settings'), 'utf8')
  expect(settings).toContain(`dockerImage=${image}\ndockerImageTag=web:1\n`)
})

test('an archive that does not say what its image is called cannot be used', () => {
  const { build } = serviceOf('image: web.tar').pkg
  const { status, stderr } = builtOf(build!, archiveOf('[{"Config":"x.json","RepoTags":null,"Layers":[]}]'))
  expect([status, stderr]).toEqual([1, expect.stringContaining("make it with 'docker save NAME'")])
})
