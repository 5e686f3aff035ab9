import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import type { ContainerName, ProfileName, ServiceKey, ServiceMapping, TargetName } from '@davit/documents'
import { DavitError } from '@davit/diagnostics'
import { shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import {
  awaitActivity,
  type Machine,
  observeMappings,
  openMachine,
  performActivity,
  resolveModules,
} from '../src/target.ts'
import { askByActivity, SERVICE } from './scene.ts'

const profile = 'default' as ProfileName
const target = 't1' as TargetName

describe.each(installedShells())('on a machine with $name', (shell) => {
  let directory: string
  let connection: ReturnType<typeof shellConnection>
  let machine: Machine
  let records: string

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-activity-'))
    records = join(directory, 'state/targets/t1/active/default')
    connection = shellConnection(shell, join(directory, 'state'))
    machine = await openMachine(async () => connection)
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  const moduleOf = (script: string): string => {
    const file = join(directory, 'module')
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return file
  }
  const mappingOf = (key: string): ServiceMapping => ({
    target,
    service: key as ServiceKey,
    container: 'process' as ContainerName,
  })
  const requestOf = <Name extends string>(activity: Name, module: string, properties: Record<string, string> = {}) => ({
    profile,
    token: '-',
    activity,
    mapping: mappingOf('key'),
    definition: { service: SERVICE, module, properties: new Map(Object.entries(properties)) },
  })
  const statesOf = async () =>
    (await observeMappings(machine, profile)).map(({ state, running }) => `${state} ${running ? 'running' : 'ended'}`)

  test('performActivity() writes a complete record', async () => {
    const module = moduleOf('exit 0')
    expect(await performActivity(machine, requestOf('activate', module, { port: '80' }))).toEqual({ kind: 'succeeded' })
    const [record] = await observeMappings(machine, profile)
    expect(record).toMatchObject({
      mapping: mappingOf('key'),
      service: SERVICE,
      state: 'active',
      running: false,
      bootId: machine.facts.bootId,
    })
    expect(record?.definition).toEqual({ service: SERVICE, module, properties: new Map([['port', '80']]) })
    expect(await performActivity(machine, requestOf('deactivate', module))).toEqual({ kind: 'succeeded' })
    expect(await observeMappings(machine, profile)).toEqual([])
  })

  test.runIf(shell.inDepth)(
    'performActivity() returns the log of a failure, and leaves the intention in the record',
    async () => {
      const module = moduleOf('echo "cannot $1" >&2; exit 7')
      const result = await performActivity(machine, requestOf('activate', module))
      expect(result).toEqual({ kind: 'failed', message: 'its module ended with status 7', log: 'cannot activate\n' })
      expect(await statesOf()).toEqual(['activating ended'])
    },
  )

  test('performActivity() passes values of properties unchanged', async () => {
    const module = moduleOf(`printf '%s' "$value" > '${directory}/value'`)
    const characters = [
      'a',
      ' ',
      "'",
      '"',
      '$',
      '`',
      '\\',
      ';',
      '\n',
      '\t',
      '(',
      ')',
      '*',
      '%',
      'é',
      '🚢',
      '!',
      '#',
      '-',
      '0',
    ]
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...characters) }), async (value) => {
        expect(await performActivity(machine, requestOf('activate', module, { value }))).toEqual({ kind: 'succeeded' })
        expect(readFileSync(join(directory, 'value'), 'utf8')).toBe(value)
        const [record] = await observeMappings(machine, profile)
        expect(record?.definition.properties.get('value')).toBe(value)
      }),
      { numRuns: shell.inDepth ? 12 : 5, examples: [['$(touch x)'], ['\n\n'], ['x'.repeat(100_000)], ['']] },
    )
  })

  test('performActivity() succeeds when the helper is killed in the middle', async () => {
    const module = moduleOf(
      `echo begun >> '${directory}/begun'; until [ -e '${directory}/go' ] || [ ! -e '${directory}' ]; do sleep 0.05; done`,
    )
    const activated = performActivity(machine, requestOf('activate', module))
    await until(() => expect(existsSync(join(directory, 'begun'))).toBe(true))
    process.kill(connection.pids[0] ?? 0, 'SIGKILL')
    await until(() => expect(connection.pids).toHaveLength(2))
    expect(await statesOf()).toEqual(['activating running'])
    const again = await performActivity(machine, requestOf('activate', module))
    expect(again).toMatchObject({ kind: 'failed', message: expect.stringContaining('still running') })
    writeFileSync(join(directory, 'go'), '')
    expect(await activated).toEqual({ kind: 'succeeded' })
    expect(await statesOf()).toEqual(['active ended'])
    expect(readFileSync(join(directory, 'begun'), 'utf8')).toBe('begun\n')
  })

  test.runIf(shell.inDepth)('performActivity() runs several activities at a time', async () => {
    const module = moduleOf(
      `touch '${directory}/'"$count"; until { [ -e '${directory}/1' ] && [ -e '${directory}/2' ]; } || [ ! -e '${directory}' ]; do sleep 0.02; done`,
    )
    const both = ['1', '2'].map((count) =>
      performActivity(machine, { ...requestOf('activate', module, { count }), mapping: mappingOf(count) }),
    )
    expect(await Promise.all(both)).toEqual([{ kind: 'succeeded' }, { kind: 'succeeded' }])
  })

  test.runIf(shell.inDepth)('performActivity() refuses without the lock, and touches nothing', async () => {
    const refused = performActivity(machine, { ...requestOf('activate', moduleOf('exit 0')), token: 'other' })
    await expect(refused).rejects.toMatchObject({ code: 'lock-lost' })
    expect(await observeMappings(machine, profile)).toEqual([])
  })

  test.runIf(shell.inDepth)('performActivity() calls a module only for activities that it has', async () => {
    const module = moduleOf(`echo "$1" >> '${directory}/asked'`)
    writeFileSync(`${module}.activities`, 'activate\n')
    await performActivity(machine, requestOf('activate', module))
    expect(await performActivity(machine, requestOf('deactivate', module))).toEqual({ kind: 'succeeded' })
    expect(readFileSync(join(directory, 'asked'), 'utf8')).toBe('activate\n')
  })

  test.runIf(shell.inDepth)('performActivity() calls another module in place of the one in the record', async () => {
    const module = moduleOf(`echo "recorded $1" >>'${directory}/called'`)
    await performActivity(machine, requestOf('activate', module))
    const instead = join(directory, 'other')
    writeFileSync(instead, `#!/bin/sh\necho "other $1" >>'${directory}/called'\n`, { mode: 0o755 })
    const { definition: _, ...undo } = requestOf('deactivate', module)
    expect(await performActivity(machine, { ...undo, instead })).toEqual({ kind: 'succeeded' })
    expect(readFileSync(join(directory, 'called'), 'utf8')).toBe('recorded activate\nother deactivate\n')
  })

  test.runIf(shell.inDepth)('performActivity() uses the module of a container provider', async () => {
    const module = moduleOf('exit 0')
    const provider = join(directory, 'provider')
    const modules = join(provider, 'libexec', 'dysnomia')
    mkdirSync(modules, { recursive: true })
    writeFileSync(join(modules, 'page'), readFileSync(module), { mode: 0o755 })
    expect(await performActivity(machine, requestOf('activate', `${provider}/${directory}/none`))).toEqual({
      kind: 'succeeded',
    })
    writeFileSync(join(modules, 'other'), readFileSync(module), { mode: 0o755 })
    const ambiguous = await performActivity(machine, { ...requestOf('activate', provider), mapping: mappingOf('k2') })
    expect(ambiguous).toMatchObject({ kind: 'failed', message: expect.stringContaining('more than one module') })
  })

  test.runIf(shell.inDepth)('performActivity() uses the module of the profile if the provider has none', async () => {
    const module = moduleOf('exit 0')
    const reference = `${join(directory, 'provider')}/${module}`
    expect(await performActivity(machine, requestOf('activate', reference))).toEqual({ kind: 'succeeded' })
    expect(await resolveModules(machine, [reference])).toEqual(new Map([[reference, module]]))
  })

  test.runIf(shell.inDepth)(
    'performActivity() has nothing to undo if nothing was begun, and leaves nothing',
    async () => {
      const activated = await performActivity(machine, requestOf('activate', join(directory, 'missing')))
      expect(activated).toMatchObject({ kind: 'failed', message: expect.stringContaining('no module') })
      expect(readdirSync(records)).toEqual([])
      const { definition: _, ...undo } = requestOf('deactivate', '')
      expect(await performActivity(machine, undo)).toEqual({ kind: 'succeeded' })
      const { definition: __, ...again } = requestOf('activate', '')
      expect(await performActivity(machine, again)).toMatchObject({
        kind: 'failed',
        message: 'there is no record of it',
      })
      expect(readdirSync(records)).toEqual([])
    },
  )

  test.runIf(shell.inDepth)('performActivity() rejects if it is unknown how it ended', async () => {
    const module = moduleOf(
      `touch '${directory}/begun'; until [ -e '${directory}/go' ] || [ ! -e '${directory}' ]; do sleep 0.05; done`,
    )
    const lost = await openMachine(
      vi.fn().mockResolvedValueOnce(connection).mockRejectedValue(new DavitError('authentication-failed', 'no')),
    )
    const activated = performActivity(lost, requestOf('activate', module))
    await until(() => expect(existsSync(join(directory, 'begun'))).toBe(true))
    process.kill(connection.pids.at(-1) ?? 0, 'SIGKILL')
    await expect(activated).rejects.toMatchObject({ code: 'authentication-failed' })
    writeFileSync(join(directory, 'go'), '')
    await until(async () => expect(await statesOf()).toEqual(['active ended']))
  })

  test.runIf(shell.inDepth)('performActivity() replaces a lost helper only once for all its activities', async () => {
    const module = moduleOf(`until [ -e '${directory}/go' ] || [ ! -e '${directory}' ]; do sleep 0.05; done`)
    const many = Array.from({ length: 6 }, (_, index) =>
      performActivity(machine, { ...requestOf('activate', module), mapping: mappingOf(`k${index}`) }),
    )
    await until(async () => expect(await statesOf()).toEqual(Array(6).fill('activating running')))
    process.kill(connection.pids[0] ?? 0, 'SIGKILL')
    await until(() => expect(connection.pids).toHaveLength(2))
    writeFileSync(join(directory, 'go'), '')
    expect(await Promise.all(many)).toEqual(many.map(() => ({ kind: 'succeeded' })))
    expect(connection.pids).toHaveLength(2)
  })

  test.runIf(shell.inDepth)('performActivity() does not wait for a runner that was cut off', async () => {
    const module = moduleOf('exit 0')
    await performActivity(machine, requestOf('activate', module))
    writeFileSync(join(records, 'process:key/state'), 'activating\n')
    for (const claim of ['running', 'running.handed']) symlinkSync('999999:1:gone', join(records, 'process:key', claim))
    mkdirSync(join(records, '.gone.process:other'))
    expect(await statesOf()).toEqual(['activating ended'])
    expect(await performActivity(machine, requestOf('activate', module))).toEqual({ kind: 'succeeded' })
    expect(await statesOf()).toEqual(['active ended'])
    expect(readdirSync(records)).toEqual(['process:key'])
    expect(readdirSync(join(records, 'process:key')).toSorted()).toEqual(['record', 'state'])
  })

  test.runIf(shell.inDepth)('awaitActivity() returns the outcome of an activity whose helper is gone', async () => {
    const module = moduleOf('[ "$1" != lock ] || [ -e "$0.locked" ]')
    await performActivity(machine, requestOf('activate', module))
    const ended = (activity: string) => awaitActivity(machine, requestOf(activity, module))
    await askByActivity(machine, requestOf('lock', module))
    expect([await ended('lock'), await ended('unlock'), await ended('activate')]).toEqual([1, 255, 0])
    writeFileSync(`${module}.locked`, '')
    await askByActivity(machine, requestOf('lock', module))
    expect([await ended('lock'), await ended('deactivate')]).toEqual([0, 256])
    await performActivity(machine, requestOf('deactivate', module))
    expect([await ended('deactivate'), await ended('activate')]).toEqual([0, 256])
  })

  test('performActivity() is not confused by the names of properties or long names', async () => {
    const names = ['line', 'decoded', 'name', 'state', 'identity', 'davit', 'HOME', 'number', 'text']
    const module = moduleOf(`printf '%s ' ${names.map((name) => `"$${name}"`).join(' ')} > '${directory}/values'`)
    writeFileSync(`${module}.activities`, 'activate\ndeactivate')
    const mapping = { ...mappingOf('k'.repeat(64)), container: 'c'.repeat(200) as ContainerName }
    const properties = Object.fromEntries(names.map((name) => [name, `value-of-${name}`]))
    const request = { ...requestOf('activate', module, properties), mapping }
    expect(await performActivity(machine, request)).toEqual({ kind: 'succeeded' })
    expect(readFileSync(join(directory, 'values'), 'utf8')).toBe(names.map((name) => `value-of-${name} `).join(''))
    expect((await observeMappings(machine, profile))[0]?.mapping).toEqual(mapping)
  })
})
