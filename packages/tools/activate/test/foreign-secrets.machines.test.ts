import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type ConnectionRequest, requestText } from '@davit/connection'
import { shellConnection } from '@davit/connection/testing'
import type {
  ContainerName,
  Manifest,
  ManifestService,
  ProfileName,
  Properties,
  ServiceKey,
  ServiceMapping,
  ServiceName,
  StorePath,
  System,
  Target,
  TargetName,
} from '@davit/documents'
import { openSecrets } from '@davit/secrets'
import { askStatuses, observeMappings, performActivity, type ShellTarget } from '@davit/target'
import { encodeField } from '@davit/target-runtime'
import { removeTree } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { withTargets } from '@davit/tool'
import { afterAll, expect, test } from 'vitest'

const shell = installedShells()[0]!
const directory = mkdtempSync(join(tmpdir(), 'davit-foreign-'))
afterAll(() => removeTree(directory))
const path = (...names: readonly string[]) => join(directory, ...names)

const profile = 'default' as ProfileName
const container = 'process' as ContainerName
const key = 'key' as ServiceKey
const service: ManifestService = {
  name: 'web' as ServiceName,
  pkg: '/store/00000000000000000000000000000000-web' as StorePath,
  type: 'module',
  dependsOn: [],
  connectsTo: [],
  providesContainers: new Map(),
}

/** A command that shows whether it was run. */
const COMMAND = ['sh', '-c', `echo run >>'${path('run')}'; echo hunter2`]

function targetAt(hostname: string, reference: Properties): Target {
  const password = new Map([['secret', reference]])
  return {
    system: 'x86_64-linux' as System,
    numOfCores: 1,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
    properties: new Map([['hostname', hostname]]),
    containers: new Map([[container, new Map([['password', password]])]]),
  }
}

const manifest: Manifest = {
  store: { kind: 'native', directory: '/store' },
  profiles: new Map(),
  services: new Map([[key, service]]),
  infrastructure: new Map([
    ['one' as TargetName, targetAt('one', new Map([['env', 'ONE']]))],
    ['two' as TargetName, targetAt('two', new Map([['command', COMMAND]]))],
  ]),
  serviceMappings: [],
  snapshotMappings: [],
}

function reached<Result>(use: (targets: ReadonlyMap<string, ShellTarget>) => Promise<Result>): Promise<Result> {
  const secrets = openSecrets({
    environment: { PATH: process.env['PATH'] ?? '', ONE: 'first secret' },
    workingDirectory: directory,
  })
  const openPool = () => ({
    connect: async (request: ConnectionRequest) => shellConnection(shell, path(requestText(request))),
    close: async () => {},
  })
  const { signal } = new AbortController()
  const context = {
    environment: {},
    report: () => {},
    signal,
    secrets,
    openPool,
    manifests: [manifest],
    trust: 'everything',
  } as const
  return withTargets(manifest.infrastructure, { ...context, role: 'deploy' }, async ({ targets }) => {
    try {
      return await use(targets)
    } finally {
      for (const { machine } of targets.values()) machine.close()
    }
  })
}

const mappingOn = (target: string): ServiceMapping => ({ target: target as TargetName, container, service: key })

function requestOn(target: string, activity: 'activate' | 'deactivate', reference: { env: string } | typeof TWO) {
  const secrets = new Map([['password', { text: [reference] }]])
  const definition = { service, module: path('module'), properties: new Map(), secrets }
  return { profile, token: '-', activity, mapping: mappingOn(target), definition }
}
const TWO = { command: COMMAND }

test('a machine that changes its records does not get the secret of another one, nor has its command run', async () => {
  writeFileSync(path('module'), `#!/bin/sh\necho "$1 $DAVIT_TARGET $password" >>'${path('log')}'\n`, { mode: 0o755 })
  const log = () => readFileSync(path('log'), 'utf8')
  await reached(async (targets) => {
    const { machine } = targets.get('one')!
    expect(await performActivity(machine, requestOn('one', 'activate', { env: 'ONE' }))).toEqual({ kind: 'succeeded' })
  })
  const record = path('one/targets/one/active/default/process:key/record')
  const stolen = encodeField(JSON.stringify({ text: [TWO] }))
  writeFileSync(
    record,
    readFileSync(record, 'utf8').replace(/^(secret\.password) .*$/m, (_, name) => `${name} ${stolen}`),
  )
  await reached(async (targets) => {
    const { machine } = targets.get('one')!
    const [found] = await observeMappings(machine, profile)
    expect(found?.definition.secrets?.get('password')?.text).toEqual([TWO])
    const definition = found!.definition
    const refused = await performActivity(machine, { ...requestOn('one', 'deactivate', TWO), definition })
    const message = expect.stringContaining(
      'neither the models nor the last deployment refer to it on this machine',
    ) as string
    expect(refused).toMatchObject({ kind: 'not-begun', message })
    const target = 'one' as TargetName
    const asked = { profile, target, mappings: [mappingOn('one')], definitions: [definition] }
    await expect(askStatuses(machine, { ...asked, atATime: 1, timeoutSeconds: 30 })).rejects.toMatchObject({
      code: 'secret-unresolved',
    })
    expect(existsSync(path('run'))).toBe(false)
    expect(log()).toBe('activate one first secret\n')
    const other = targets.get('two')!.machine
    expect(await performActivity(other, requestOn('two', 'activate', TWO))).toEqual({ kind: 'succeeded' })
    expect(log()).toBe('activate one first secret\nactivate two hunter2\n')
    // It is known by now, and still not for this machine.
    expect(await performActivity(machine, { ...requestOn('one', 'deactivate', TWO), definition })).toMatchObject({
      message,
    })
  })
})
