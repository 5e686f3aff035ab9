import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { openSecrets, type Secrets } from '@davit/secrets'
import { encodeField } from '@davit/target-runtime'
import { contentOf, type Exposure, exposuresOf, filesWith, formsOf } from '@davit/testing/exposures'
import { installedShells, type Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import {
  type ActivityRequest,
  askServices,
  askStatuses,
  type Machine,
  observeMachine,
  observeMappings,
  openMachine,
  performActivity,
  performStateActivity,
  resolveSecrets,
} from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

const shells = installedShells()
const machines: Pick<Machine, 'close'>[] = []
afterAll(() => {
  for (const { close } of machines) close()
  closeScenes()
})

/** A value that a shell could evaluate, and that cannot be anywhere by chance. */
function newValue(): string {
  return `${randomBytes(12).toString('hex')} "$HOME" \`id\` 'ü'\n\\n end`
}

function secretsOf(environment: Record<string, string>): Secrets {
  const secrets = openSecrets({ environment, workingDirectory: '/' })
  secrets.trust([...Object.keys(environment), 'KEY'].map((env) => ({ env })))
  return secrets
}

async function machineWith<R extends 'deploy' | 'state'>(scene: Scene, role: R, secrets: Secrets) {
  const machine = await openMachine(async () => scene.connection, { role, secrets })
  machines.push(machine)
  return machine
}

const TEXT = [{ env: 'KEY' }] as const

function requestOf(scene: Scene, activity: ActivityRequest['activity']): ActivityRequest {
  const request = scene.request(activity)
  const { definition } = request
  if (definition === undefined) throw new Error('there is no definition')
  return { ...request, definition: { ...definition, secrets: new Map([['password', { text: TEXT }]]) } }
}

/** Forms in which a secret could be found. */
function traces(value: string): readonly string[] {
  return [...formsOf(value), encodeField(value)]
}

const KEEP = 'printf %s "$password" >"$D/../got-$1"'

describe.concurrent.each(shells)('secrets on a machine with $name', (shell: Shell) => {
  /** Keeps what the module got outside of the scene's state. */
  const opened = async (script: string, activities?: readonly string[]) => {
    const scene = await Scene.open(shell)
    scene.module(script.replaceAll('../got', 'got'), activities)
    return scene
  }

  test('reach a module unchanged, and are nowhere else while it runs', async () => {
    const scene = await opened(`${KEEP}\necho $$ >"$D/pid"\nhold`)
    const value = newValue()
    const machine = await machineWith(scene, 'deploy', secretsOf({ KEY: value }))
    const running = performActivity(machine, requestOf(scene, 'activate'))
    await until(() => scene.has('pid') && scene.read('pid') !== '')
    const module = String(scene.pidIn('pid'))
    const found = exposuresOf(traces(value))
    expect(found.filter((one) => one.where === 'arguments' || !isPartOf(one, module))).toEqual([])
    expect(found.map(({ pid }) => pid)).toContain(module)
    expect(filesWith(traces(value), scene.path('state'))).toEqual([])
    scene.write('go')
    expect(await running).toEqual({ kind: 'succeeded' })
    expect(scene.read('got-activate')).toBe(value)
    expect(filesWith(traces(value), scene.path('state'))).toEqual([])
    const [record] = await observeMappings(machine, scene.profile)
    expect(record?.definition.secrets).toEqual(
      new Map([['password', { text: TEXT, digest: expect.stringMatching(/^scrypt:/) as string }]]),
    )
    expect(await performActivity(machine, requestOf(scene, 'deactivate'))).toEqual({ kind: 'succeeded' })
    expect(scene.read('got-deactivate')).toBe(value)
  })

  test('of any size reach a module', async () => {
    const scene = await opened(KEEP)
    const value = `${'x'.repeat(100_000)}ü`
    const machine = await machineWith(scene, 'deploy', secretsOf({ KEY: value }))
    expect(await performActivity(machine, requestOf(scene, 'activate'))).toEqual({ kind: 'succeeded' })
    expect(scene.read('got-activate')).toBe(value)
  })

  test('of any size are in no temporary file of a shell', async ({ onTestFinished }) => {
    const temporary = mkdtempSync(join(tmpdir(), 'davit-temporary-'))
    const made: string[] = []
    const watching = watch(temporary, (_, name) => made.push(name ?? ''))
    onTestFinished(() => {
      watching.close()
      removeTree(temporary)
    })
    const scene = await Scene.open(shell, { environment: { TMPDIR: temporary } })
    scene.module(KEEP.replace('../got', 'got'), ['activate', 'status'])
    const machine = await machineWith(scene, 'deploy', secretsOf({ KEY: 'x'.repeat(100_000) }))
    const request = requestOf(scene, 'activate')
    expect(await performActivity(machine, request)).toEqual({ kind: 'succeeded' })
    const { mapping, profile, definition } = request
    const questions = { profile, target: mapping.target, mappings: [mapping], definitions: [definition], atATime: 1 }
    expect(await askStatuses(machine, { ...questions, timeoutSeconds: 30 })).toEqual(['runs'])
    expect(scene.read('got-status')).toHaveLength(100_000)
    // Events come in order.
    writeFileSync(join(temporary, 'end'), '')
    await until(() => expect(made).toContain('end'))
    expect(made.filter((name) => name !== 'end')).toEqual([])
  })

  test('reach the modules that are asked, each its own', async () => {
    const scene = await opened(KEEP.replace('$1', '$1-$3'), ['status', 'lock', 'unlock', 'activate'])
    const machine = await machineWith(scene, 'deploy', secretsOf({ KEY: 'first value', OTHER: 'other value' }))
    const request = requestOf(scene, 'activate')
    const { definition } = request
    if (definition === undefined) throw new Error('there is no definition')
    const mappings = ['one', 'none', 'two'].map((container) => ({ ...scene.mapping, container: container as never }))
    const texts = [[{ env: 'KEY' }], undefined, [{ env: 'OTHER' }]] as const
    const definitions = texts.map((text) => {
      const { secrets: _, ...rest } = definition
      return text === undefined ? rest : { ...rest, secrets: new Map([['password', { text }]]) }
    })
    for (const [index, mapping] of mappings.entries())
      await performActivity(machine, { ...request, mapping, definition: definitions[index]! })
    const place = { profile: scene.profile, target: scene.mapping.target, mappings, definitions, atATime: 2 }
    expect(await askStatuses(machine, { ...place, timeoutSeconds: 30 })).toEqual(['runs', 'runs', 'runs'])
    const locked = await askServices(machine, { ...place, activity: 'lock', token: '-' })
    expect(locked.map(({ kind }) => kind)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    for (const activity of ['status', 'lock']) {
      const got = ['one', 'none', 'two'].map((container) => scene.read(`got-${activity}-${container}`))
      expect(got).toEqual(['first value', '', 'other value'])
    }
  })

  test('reach a module that is called for state, whose output is shown without them', async () => {
    const scene = await opened(`${KEEP}\necho "using $password"\n[ "$1" != snapshot ]`)
    const secrets = secretsOf({ KEY: 'hunter2 and more' })
    const deploy = await machineWith(scene, 'deploy', secrets)
    const request = requestOf(scene, 'activate')
    expect(await performActivity(deploy, request)).toEqual({ kind: 'succeeded' })
    const { definition, profile } = request
    if (definition === undefined) throw new Error('there is no definition')
    const machine = await machineWith(scene, 'state', secrets)
    const mapping = { ...scene.mapping, component: 'web' }
    const result = await performStateActivity(machine, {
      activity: 'snapshot',
      profile,
      token: undefined,
      mapping,
      definition,
      compressor: 'none',
    })
    expect(result).toMatchObject({ kind: 'failed', log: 'using [secret]\n' })
    expect(scene.read('got-snapshot')).toBe('hunter2 and more')
  })

  test('are hidden where the end of a log that is shown begins within one', async () => {
    const value = 'hunter2-'.repeat(20)
    const scene = await opened(`printf '%s' "$password"; head -c ${16 * 1024 - 100} /dev/zero | tr '\\0' x; exit 1`)
    const machine = await machineWith(scene, 'deploy', secretsOf({ KEY: value }))
    const result = await performActivity(machine, requestOf(scene, 'activate'))
    expect(result).toMatchObject({ kind: 'failed', log: `[secret]${'x'.repeat(16 * 1024 - 100)}` })
  })

  test('that cannot be resolved keep the activity from beginning, with the reason', async () => {
    const scene = await opened(KEEP)
    const machine = await machineWith(scene, 'deploy', secretsOf({}))
    const request = requestOf(scene, 'activate')
    const message =
      "property 'password' of container 'process' on 't1', which 'web' needs, cannot be resolved from variable 'KEY': the variable is not set"
    expect(await performActivity(machine, request)).toMatchObject({ kind: 'not-begun', message })
    expect(scene.has('got-activate')).toBe(false)
    const need = { ...request, secrets: secretsOf({}) }
    await expect(resolveSecrets([need, need])).rejects.toMatchObject({
      code: 'secret-unresolved',
      diagnostics: [{ message }],
    })
  })
})

test('a record whose reference was changed is damaged', async () => {
  const scene = await Scene.open(shells[0]!)
  scene.module('exit 0')
  const machine = await machineWith(scene, 'deploy', secretsOf({ KEY: 'value' }))
  await performActivity(machine, requestOf(scene, 'activate'))
  const record = join(scene.record, 'record')
  writeFileSync(record, readFileSync(record, 'utf8').replace('"env"', '"evil"'))
  const { damaged } = await observeMachine(machine, scene.profile)
  expect(damaged[0]?.problem).toBe("its field 'secret.password' is not a reference to a secret")
})

/** Whether it is the module or what it has started, or has ended meanwhile. */
function isPartOf({ pid }: Exposure, module: string): boolean {
  const stat = contentOf(`/proc/${pid}/stat`)
  return pid === module || stat === '' || stat.slice(stat.lastIndexOf(')')).split(' ')[2] === module
}
