import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import {
  CompiledStack,
  encodeDocument,
  Manifest,
  type PlanDocument,
  parseProfileName,
  type ProfileName,
} from '@davit/documents'
import { DeployedTargets } from '@davit/inventory/testing'
import { scratchDirectory } from '@davit/testing/scratch'
import { defineTool, stackProfileOptions } from '@davit/tool'
import { runHere } from '@davit/tool/testing'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import { nameOfProfile } from '../src/name-of-profile.ts'
import { plan } from '../src/plan/plan.ts'
import { profileOfOrder } from '../src/profile-of-order.ts'
import { stackOperands, stackOptions } from '../src/stack-options.ts'

const open = DeployedTargets.ofFile()
let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write(
    'Muspace.yaml',
    `clusters:
  test: { default: true, infrastructure: machines.yaml }
  live: { infrastructure: machines.yaml }
  1.10: { infrastructure: machines.yaml }\n`,
  )
  write('machines.yaml', 'here: { clientInterface: local, properties: { hostname: h }, containers: { process: {} } }\n')
  write('shop/Mu.yaml', stackNamed('shop'))
})

const stackNamed = (name: string) =>
  `name: ${name}\nproperties: { of: { type: string, optional: true } }\nservices: { public: { web: { type: mu/container, command: [echo] } } }\n`

function write(name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text)
}

/** Prints the deployment that it is about. */
const tool = defineTool({
  name: 'davit-profile',
  summary: 'Print',
  examples: [],
  options: {
    ...stackProfileOptions,
    ...stackOptions,
    infrastructure: { type: 'string', short: 'i', value: 'FILE', describe: 'targets' },
    'take-over': { type: 'boolean', describe: 'replace another' },
  },
  operands: stackOperands,
  run: async (context) => context.print(await profileOfOrder(context.args, context)),
})

async function profileOf(words: string, variables: Readonly<Record<string, string>> = {}) {
  const environment = { DAVIT_STATE_DIR: join(directory, 'state'), ...variables }
  const argv = words.split(' ').filter((word) => word !== '')
  const { stdout, stderr, status } = await runHere(tool, argv, { directory, environment })
  return { status, profile: stdout, said: stderr }
}

/** What was deployed under a name; without names, of models. */
async function deploy(profile: string, { stack, cluster, isEmpty = false }: Partial<Deployed>): Promise<void> {
  const targets = await open()
  const manifest = isEmpty ? { ...targets.manifest, serviceMappings: [] } : targets.manifest
  const compiled: CompiledStack = {
    name: stack ?? '',
    metadata: new Map(),
    arguments: new Map(),
    ...(cluster === undefined ? {} : { cluster: { name: cluster, cloud: 'machines' } }),
    properties: new Map(),
    services: new Map(),
    order: [],
    references: new Map(),
  }
  await addGeneration(deploymentPlace(join(directory, 'state'), profile as ProfileName), {
    manifest,
    text: encodeDocument(Manifest, manifest, 'json'),
    origin: { time: new Date(0), user: 'root', host: 'desk' },
    madeFrom: {
      models: [],
      warnings: [],
      ...(stack === undefined ? {} : { stack: encodeDocument(CompiledStack, compiled, 'json') }),
    } as never,
  })
}

interface Deployed {
  readonly stack: string
  readonly cluster: string
  readonly isEmpty: boolean
}

describe('the deployment of a stack', () => {
  test.each([
    ['--stack shop -c live', 'shop-live'],
    ['--stack shop', 'shop-test'],
    ['--stack shop/Mu.yaml', 'shop-test'],
    ['--stack shop -c 1.10', 'shop-1.10'],
    ['--stack shop -p mine', 'mine'],
    ['--stack shop -p default', 'default'],
    ['', 'default'],
    ['-p mine', 'mine'],
  ])('%s is that of %s', async (words, profile) => {
    expect(await profileOf(words)).toMatchObject({ status: 0, profile })
  })

  test('without a cluster is called like the stack', async () => {
    write('Muspace.yaml', 'namespace: acme\n')
    expect((await profileOf('--stack shop -i machines.yaml')).profile).toBe('shop')
  })

  test('has the name that is given in the environment', async () => {
    expect((await profileOf('--stack shop', { DAVIT_PROFILE: 'mine' })).profile).toBe('mine')
    expect((await profileOf('--stack shop', { DISNIX_PROFILE: 'theirs' })).profile).toBe('theirs')
  })

  test('has the name that a template makes of arguments', async () => {
    write('shop/Mu.yaml', stackNamed('"shop{{.args.of}}"'))
    expect((await profileOf('--stack shop -- of=.v2')).profile).toBe('shop.v2-test')
  })

  test.each(['--stack nowhere', '--stack shop -c nowhere'])('%s is left to the compiler', async (words) => {
    expect(await profileOf(words)).toMatchObject({ status: 0 })
  })

  test('is said when it is new', async () => {
    expect((await profileOf('--stack shop -c live')).said).toContain(
      "stack 'shop' in cluster 'live' is the deployment 'shop-live': other tools find it with -p shop-live",
    )
    await deploy('shop-live', { stack: 'shop', cluster: 'live' })
    expect(await profileOf('--stack shop -c live')).toEqual({ status: 0, profile: 'shop-live', said: '' })
    expect((await profileOf('--stack shop -p mine')).said).toBe('')
  })

  test('is that of the plan', async () => {
    const environment = {
      DAVIT_STATE_DIR: join(directory, 'state'),
      DAVIT_STORE_DIR: join(directory, 'store'),
      TMPDIR: directory,
    }
    const words = ['--stack', 'shop', '-c', 'live', '--format', 'json']
    const { status, stdout } = await runHere(plan, words, { directory, environment })
    expect([status, (JSON.parse(stdout) as PlanDocument).profile]).toEqual([2, 'shop-live'])
  })
})

describe('what was deployed as default', () => {
  test('goes on as that if it is the same stack in the same cluster, and that is said', async () => {
    await deploy('default', { stack: 'shop', cluster: 'live' })
    const { status, profile, said } = await profileOf('--stack shop -c live')
    expect([status, profile]).toEqual([0, 'default'])
    expect(said).toContain(
      "stack 'shop' in cluster 'live' was deployed as 'default' and goes on as that, not as 'shop-live'",
    )
    expect(await profileOf('--stack shop -c live -p default')).toEqual({ status: 0, profile: 'default', said: '' })
  })

  test.each([
    ['another stack', { stack: 'store', cluster: 'live' }],
    ['another cluster', { stack: 'shop', cluster: 'test' }],
    ['models', {}],
    ['nothing that is left', { stack: 'shop', cluster: 'live', isEmpty: true }],
  ])('is left alone if it is %s', async (_, deployed) => {
    await deploy('default', deployed)
    expect((await profileOf('--stack shop -c live')).profile).toBe('shop-live')
  })

  test('does not matter once the stack has a deployment of its own', async () => {
    await deploy('default', { stack: 'shop', cluster: 'live' })
    await deploy('shop-live', { stack: 'shop', cluster: 'live' })
    expect((await profileOf('--stack shop -c live')).profile).toBe('shop-live')
  })

  test('is found without a cluster too', async () => {
    write('Muspace.yaml', '{}\n')
    await deploy('default', { stack: 'shop', cluster: 'anonymous' })
    expect((await profileOf('--stack shop -i machines.yaml')).profile).toBe('default')
  })
})

describe('the deployment of another stack', () => {
  test.each([
    ['the same in another cluster', '--stack shop -c live -p default', { stack: 'shop', cluster: 'test' }],
    ['another one', '--stack shop -c live -p default', { stack: 'store', cluster: 'live' }],
  ])('is not replaced by %s', async (_, words, deployed) => {
    await deploy('default', deployed)
    const { status, profile, said } = await profileOf(words)
    expect([status, profile]).toEqual([1, ''])
    expect(said).toContain(`'default' is the deployment of stack '${deployed.stack}' in cluster '${deployed.cluster}'`)
    expect(said).toContain('nothing was done; deploy alongside it with -p shop-live, or replace it with --take-over')
    expect(await profileOf(`${words} --take-over`)).toMatchObject({ status: 0, profile: 'default' })
  })

  test('is not that of one whose names only look the same together', async () => {
    write('shop/Mu.yaml', stackNamed('a-b'))
    write('Muspace.yaml', 'clusters: { c: { infrastructure: machines.yaml } }\n')
    await deploy('a-b-c', { stack: 'a', cluster: 'b-c' })
    const { status, said } = await profileOf('--stack shop -c c')
    expect([status, said]).toEqual([1, expect.stringContaining('deploy alongside it with -p NAME')])
  })
})

describe('nameOfProfile()', () => {
  test.each([
    ['shop', 'staging', 'shop-staging'],
    ['shop', '', 'shop'],
    ['team/shop', 'live', 'team+shop-live'],
    ['shop.v2', 'eu-west', 'shop.v2-eu-west'],
    ['a b', '', expect.stringMatching(/^a_b\+-[0-9a-f]{12}$/)],
    ['.shop', 'live', expect.stringMatching(/^_shop\+-[0-9a-f]{12}-live$/)],
    ['/shop', '', expect.stringMatching(/^_shop\+-[0-9a-f]{12}$/)],
    ['shöp', 'läb', expect.stringMatching(/^sh_p\+-[0-9a-f]{12}-l_b\+-[0-9a-f]{12}$/)],
  ])('of %j in %j is %s', (stack, cluster, profile) => {
    expect(nameOfProfile({ stack, cluster })).toEqual(profile)
  })

  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '/', '+', '.', '_', ' ', 'é'), minLength: 1, maxLength: 4 }),
    fc.string({ minLength: 1 }),
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 150, maxLength: 260 }),
  )

  test('is one that deployments can have', () => {
    fc.assert(
      fc.property(part, fc.oneof(part, fc.constant('')), (stack, cluster) => {
        const profile = nameOfProfile({ stack, cluster })
        expect(parseProfileName(profile)).toBe(profile)
      }),
    )
  })

  test('is never that of another stack', () => {
    fc.assert(
      fc.property(part, part, (left, right) => {
        const names = [left, right].map((stack) => nameOfProfile({ stack, cluster: '' }))
        expect(names[0] === names[1]).toBe(left === right)
      }),
    )
  })
})
