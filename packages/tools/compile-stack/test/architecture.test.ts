import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServiceName, System } from '@davit/documents'
import { loadArchitecture } from '@davit/models'
import { normalizeModel } from '@davit/normalization'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { beforeEach, expect, test } from 'vitest'
import { tool } from '../src/main.ts'

const STACK = `name: shop
properties: { size: { type: number, default: 1 }, speed: { type: number, default: 1 } }
services:
  private:
    store: { type: box, size: {{orElse .args "size" 1}}, speed: {{orElse .args "speed" 1}} }
  public:
    web:
      type: mu/container
      build: web
      env: { TEXT: "\${store.port} $$" }
      links: { store: store }
`

const BOX = `name: box
properties: { size: { type: number, readonly: true }, speed: { type: number, perturbs: true } }
services:
  private: { disk: { type: mu/volume } }
  public: { main: { type: mu/container, command: [cat], port: 7000, volumes: { DATA: disk } } }
`

const INFRASTRUCTURE = `
left: { properties: { hostname: left.example, weight: 1.0 }, containers: { process: {} }, numOfCores: 2, rack: 7 }
right:
  properties: { hostname: right.example }
  containers: { process: { key: { secret: { file: key } } }, fileset: {} }
  system: aarch64-linux
`

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write('Muspace.yaml', 'clusters: { lab: { default: true, infrastructure: machines/here.yaml } }\n')
  write('machines/here.yaml', INFRASTRUCTURE)
  write('machines/key', 'secret')
  write('shop/Mu.yaml', STACK)
  write('shop/web/bin/web', '#!/bin/sh\n')
  write('box/Mu.yaml', BOX)
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text)
}

async function compile(...words: readonly string[]) {
  return runHere(tool, ['shop', ...words], { directory })
}

/** Compiles for targets with another property beside the usual one; returns what a container reaches the store by. */
async function hostOfStore(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  write(
    'machines/here.yaml',
    'only: { properties: { hostname: a.example, lan: b.example }, containers: { process: {}, fileset: {} } }\n',
  )
  const { status, stdout, stderr } = await runHere(tool, ['shop', ...words], { directory, environment })
  expect([status, stderr]).toEqual([0, ''])
  return /http:\/\/([\w.]+):7000/.exec(stdout)?.[1]
}

const system = 'x86_64-linux' as System

test('the architecture model is one that davit-normalize reads, wherever it is', async () => {
  const { status, stdout, stderr } = await compile()
  expect([status, stderr]).toEqual([0, ''])
  expect((await compile()).stdout).toBe(stdout)
  expect((await runHere(tool, [], { directory: join(directory, 'shop') })).stdout).toBe(stdout)
  const model = join(scratchDirectory(), 'model.json')
  writeFileSync(model, stdout)
  const normalized = normalizeModel(await loadArchitecture({ architecture: model }, { system }), {
    clientInterface: 'davit-ssh',
    targetProperty: 'hostname',
    deployState: false,
    system,
    store: { kind: 'native', directory: '/var/lib/davit/store' },
  })
  expect(normalized.warnings).toEqual([])
  const { services, infrastructure } = normalized.architecture
  expect([...services.keys()]).toEqual(['shop.store.disk', 'shop.store.main', 'shop.web'])
  const [target] = services.get('shop.store.main' as ServiceName)?.targets ?? []
  expect(target).toEqual({ target: 'right', container: 'process' })
  expect(JSON.stringify([...infrastructure.values()].map(({ system: one }) => one))).toBe(
    '["x86_64-linux","aarch64-linux"]',
  )
  expect(stdout).toContain(`"file": "${join(directory, 'machines/key')}"`)
  expect(stdout).toContain('"weight": 1.0')
  expect(stdout).not.toMatch(/rack|attributes/)
})

test('-i names other machines, in any language', async () => {
  write(
    'other.ts',
    "export default { only: { properties: { hostname: 'only' }, containers: { process: {}, fileset: {} } } }\n",
  )
  const { status, stdout } = await compile('-i', 'other.ts')
  expect(status).toBe(0)
  expect(Object.keys((JSON.parse(stdout) as { infrastructure: object }).infrastructure)).toEqual(['only'])
  write('Muspace.yaml', '')
  expect(await compile('-i', 'other.ts')).toEqual({ status: 0, stdout, stderr: '' })
})

test('others reach a target by the property with its address, as all tools do', async () => {
  expect(await hostOfStore([])).toBe('a.example')
  expect(await hostOfStore(['--target-property', 'lan'])).toBe('b.example')
  expect(await hostOfStore([], { DAVIT_TARGET_PROPERTY: 'lan' })).toBe('b.example')
  write(
    'Muspace.yaml',
    'clusters: { lab: { default: true, infrastructure: machines/here.yaml, settings: { addressProperty: hostname } } }\n',
  )
  expect(await hostOfStore([], { DAVIT_TARGET_PROPERTY: 'lan' })).toBe('a.example')
})

test('without machines there is nothing to place a stack on', async () => {
  write('Muspace.yaml', '')
  const { status, stdout, stderr } = await compile('-t', 'machines')
  expect([status, stdout]).toEqual([64, ''])
  expect(stderr).toContain('name an infrastructure model with -i')
})

test('what a back end finds is told with its place', async () => {
  write('machines/here.yaml', 'left: { properties: { hostname: left }, containers: { process: {} } }\n')
  const { status, stdout, stderr } = await compile()
  expect([status, stdout]).toEqual([65, ''])
  expect(stderr).toMatch(
    /Mu\.yaml:\d+:\d+: error: MU611: no target can take 'shop\/store\/disk', which needs a container 'fileset'/,
  )
})

test('an address that others cannot use is told where the infrastructure model has it', async () => {
  write(
    'machines/here.yaml',
    'left:\n  properties:\n    hostname: deploy@left\n  containers: { process: {}, fileset: {} }\n',
  )
  const { stderr } = await compile()
  expect(stderr).toContain(
    "machines/here.yaml:3:15: error: MU613: the property 'hostname' of target 'left' is no host name",
  )
  expect((await compile('--target-property', 'lan')).stderr).toContain(
    "machines/here.yaml:2:3: error: MU613: target 'left' has no property 'lan'",
  )
})

test('an infrastructure model that is not there is told where the cluster names it', async () => {
  write('Muspace.yaml', 'clusters: { lab: { default: true, infrastructure: machines/her.yaml } }\n')
  const { status, stdout, stderr } = await compile()
  expect([status, stdout]).toEqual([66, ''])
  expect(stderr).toMatch(/^Muspace\.yaml:1:51: error: MU103: cannot read '.*\/machines\/her\.yaml': no such file/)
  expect((await compile('-i', 'none.yaml')).stderr).toMatch(/^davit-compile-stack: cannot read '.*\/none\.yaml'/)
})

test('a change since an earlier compiled stack is told, and can be refused', async () => {
  const { stdout } = await compile('--skip-codegen')
  const earlier = join(directory, 'earlier.json')
  write('earlier.json', stdout)
  const slower = await compile('--previous', earlier, '--', 'speed=2')
  expect([slower.status, slower.stderr]).toEqual([
    0,
    expect.stringContaining("'shop/store' is restarted: its property 'speed'"),
  ])
  const larger = await compile('--previous', earlier, '--', 'size=2')
  expect([larger.status, larger.stderr]).toEqual([0, expect.stringContaining('warning: MU614')])
  const refused = await compile('--previous', earlier, '--no-replace', '--', 'size=2')
  expect([refused.status, refused.stdout, refused.stderr]).toEqual([65, '', expect.stringContaining('error: MU614')])
  expect(slower.stderr).not.toContain('replaced')
  write('other/Mu.yaml', 'name: other\nservices: { public: { v: { type: mu/volume } } }\n')
  const other = await runHere(tool, ['other', '--previous', earlier], { directory })
  expect([other.status, other.stderr]).toEqual([
    0,
    expect.stringContaining(
      "stack 'shop', which is deployed, is replaced by 'other'\n  hint: to have both, deploy them as two profiles: -p NAME",
    ),
  ])
  const twice = await compile('--previous', earlier, '--previous', earlier)
  expect([twice.status, twice.stderr]).toEqual([64, expect.stringContaining('is a second compiled stack')])
  expect((await compile('--previous', join(directory, 'shop/Mu.yaml'))).status).toBe(65)
})

test.each([
  [['davit-compile-stack', 'shop', '-c', 'lab', '--'], 'size=\nspeed=\n'],
  [['davit-fetch-stacks', '-c', 'lab', 'shop', '--', 'size', '=', '2'], 'size=\nspeed=\n'],
  [['/usr/bin/davit-env', '-p', 'x', '--stack', 'box', '--'], 'size=\nspeed=\n'],
  [['davit-env', '--stack', '=', 'asks', '--', 'more', '=', '1'], 'more=\nother=\nsize=\nspeed=\n'],
  [['davit-env', '--stack=asks', '--', 'more=1'], 'more=\nother=\nsize=\nspeed=\n'],
  [['davit-env', '--stack', 'asks', '--'], ''],
  [['davit-env', '-s', 'x', '--'], ''],
  [['davit-compile-stack', 'none', '--'], ''],
  [[], ''],
])('arguments for the line %j are listed', async (line, names) => {
  write(
    'asks/Mu.yaml',
    'name: asks\nbase: box\nproperties: { more: { type: number }, other: { type: "{{if .args.more}}any{{end}}", optional: true } }\n',
  )
  const { status, stdout } = await runHere(tool, ['--list-arguments', '--', ...line], { directory })
  expect([status, stdout]).toEqual([0, names])
})

test('a change of the stack itself is told, too', async () => {
  write('shop/Mu.yaml', STACK.replace('size: { type: number, default: 1 }', 'size: { type: number, readonly: true }'))
  write('earlier.json', (await compile('--skip-codegen', '--', 'size=1')).stdout)
  const refused = await compile('--previous', join(directory, 'earlier.json'), '--no-replace', '--', 'size=2')
  expect([refused.status, refused.stderr]).toEqual([
    65,
    expect.stringContaining("<argument size>: error: MU614: 'size' of 'shop'"),
  ])
})

test('the compiled stack is handed on, for the generation', async () => {
  const origin = join(directory, 'origin')
  await compile('--origin', origin, '--', 'size=2')
  const { stdout } = await compile('--skip-codegen', '--', 'size=2')
  expect(readFileSync(origin, 'utf8').trim()).toBe(JSON.stringify({ stack: stdout }))
})

test('what a manifest has deployed stays where it is', async () => {
  const placeOf = (text: string) => {
    const { services } = JSON.parse(text) as { services: Record<string, { targets: readonly string[] }> }
    return services['shop.web']?.targets[0] ?? ''
  }
  const best = placeOf((await compile()).stdout)
  const other = best === 'left' ? 'right' : 'left'
  const key = 'a'.repeat(64)
  const pkg = '/var/lib/davit/store/00000000000000000000000000000000-web'
  const target = {
    properties: { hostname: other },
    containers: { process: {} },
    system,
    numOfCores: 1,
    clientInterface: 'davit-ssh',
    targetProperty: 'hostname',
  }
  const manifest = {
    document: 'manifest',
    version: 2,
    profiles: { [other]: pkg },
    services: { [key]: { name: 'shop.web', pkg, type: 'process' } },
    infrastructure: { [other]: target },
    serviceMappings: [{ service: key, target: other, container: 'process' }],
    snapshotMappings: [],
  }
  write('deployed.json', JSON.stringify(manifest))
  const { status, stdout, stderr } = await compile('--previous', join(directory, 'deployed.json'))
  expect([status, stderr]).toEqual([0, ''])
  expect(placeOf(stdout)).toBe(other)
})
