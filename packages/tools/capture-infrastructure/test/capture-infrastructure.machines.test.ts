import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { System, TargetName } from '@davit/documents'
import { loadInfrastructure, loadTargets } from '@davit/models'
import { freePort } from '@davit/testing/free-port'
import { scratchDirectory } from '@davit/testing/scratch'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { runHere } from '@davit/tool/testing'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
})

const write = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}

async function capture(argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const around = {
    HOME: directory,
    DYSNOMIA_PROPERTIES: '/nowhere',
    DYSNOMIA_CONTAINERS_PATH: '/nowhere',
    ...environment,
  }
  const ended = await runHere(tool, argv, { environment: around, directory })
  return { ...ended, stderr: ended.stderr.replaceAll(`${directory}/`, '') }
}

const OPTIONS = { system: 'none' as System, clientInterface: 'ssh', targetProperty: 'hostname' }

describe('davit-capture-infrastructure', () => {
  test('prints a model of this machine that can be loaded', async () => {
    const settings = { DYSNOMIA_CONTAINERS_PATH: directory, DYSNOMIA_PROPERTIES: write('properties.txt', 'rack=7\n') }
    write('process', 'type=process\nruntimeDir=/run/here\n')
    const file = join(directory, 'model.yaml')
    const ended = await capture(['--interface', 'local', 'here=localhost', '--output', file], settings)
    expect(ended).toMatchObject({ status: 0, stdout: '' })
    const here = (await loadInfrastructure(file, OPTIONS)).get('here' as TargetName)
    expect(here?.clientInterface).toBe('local')
    expect(here?.system).toMatch(/^\w+-linux$/)
    expect(Object.fromEntries(here?.properties ?? [])).toMatchObject({ hostname: 'localhost', rack: '7' })
    expect(Object.fromEntries(here?.containers ?? [])).toMatchObject({
      process: new Map([['runtimeDir', '/run/here']]),
      fileset: new Map(),
    })
  })

  test('says what it leaves out', async () => {
    mkdirSync(join(directory, 'containers'))
    write('containers/process', 'PATH=/evil\n')
    write('containers/bad name', '')
    const settings = {
      DYSNOMIA_CONTAINERS_PATH: join(directory, 'containers'),
      DYSNOMIA_PROPERTIES: write('properties', 'a\n'),
    }
    const cut = await capture(['--interface', 'local', 'here'], settings)
    expect([cut.status, cut.stderr]).toEqual([
      0,
      "warning: target 'here': its settings for Dysnomia end at a mistake: properties:1: expected NAME=VALUE\n  hint: correct the file there, and run the same command again\n",
    ])
    write('properties', String.raw`red=$(printf '\033[31m')` + '\n')
    const { status, stderr } = await capture(['--interface', 'local', 'here'], settings)
    expect([status, stderr]).toEqual([
      0,
      `warning: target 'here': left out property 'red': property 'red' contains U+001B, which cannot occur in XML
warning: target 'here': left out property 'PATH' of container 'process': container property 'PATH' is reserved
warning: target 'here': left out container 'bad name': this cannot be the name of a container
`,
    ])
  })

  test('completes a model, and keeps what it says', async () => {
    const model = `
here:
  clientInterface: local
  properties: { hostname: localhost, memoryMB: 1 }
  containers: { process: { key: { secret: { env: KEY } } } }
  system: i686-linux
  room: [12, b]
plant: { clientInterface: /opt/serial-client, properties: { hostname: /dev/ttyS0 } }
`
    const ended = await capture([
      '-i',
      write('model.yaml', model),
      '--format',
      'json',
      '--output',
      join(directory, 'whole.json'),
    ])
    expect(ended).toMatchObject({
      status: 0,
      stderr: "target 'plant' stays as it is, since it is reached through '/opt/serial-client'\n",
    })
    const { targets } = await loadTargets(join(directory, 'whole.json'), OPTIONS)
    const { here, plant } = Object.fromEntries(targets)
    expect(here).toMatchObject({
      clientInterface: 'local',
      system: 'i686-linux',
      attributes: new Map([['room', [12, 'b']]]),
    })
    expect(Object.fromEntries(here?.properties ?? [])).toMatchObject({ memoryMB: 1, hostname: 'localhost' })
    expect(here?.properties.get('diskMB')).toBeGreaterThan(1)
    expect(Object.fromEntries(here?.containers ?? [])).toMatchObject({
      process: new Map([['key', new Map([['secret', new Map([['env', 'KEY']])]])]]),
      wrapper: new Map(),
    })
    expect(plant).toEqual({
      clientInterface: '/opt/serial-client',
      properties: new Map([['hostname', '/dev/ttyS0']]),
      containers: new Map(),
      attributes: new Map(),
    })
    const again = await capture(['-i', join(directory, 'whole.json'), '--format', 'json'])
    expect(again.stdout).toBe(readFileSync(join(directory, 'whole.json'), 'utf8'))
    const inXml = await capture(['-i', join(directory, 'whole.json'), '--format', 'xml'])
    expect(inXml.stderr).toContain("warning: target 'here': left out 'room', which XML cannot contain\n")
    expect(inXml.stdout).not.toContain('room')
  })

  test('begins a model with the hosts of an ssh configuration, and asks none of them', async () => {
    const config = write('config', 'Host web1 web?\n  HostName 10.0.0.1\nHost db1 user@x\nInclude more\nHost *\n')
    expect(await capture(['--from-ssh-config', config])).toEqual({
      status: 0,
      stdout:
        'db1:\n  containers: {}\n  properties:\n    hostname: db1\nuser-x:\n  containers: {}\n  properties:\n    hostname: user@x\nweb1:\n  containers: {}\n  properties:\n    hostname: web1\n',
      stderr: '',
    })
    const words = ['--from-ssh-config', '--interface', 'local', '--target-property', 'address', '--format', 'nix']
    expect(await capture(words, { DAVIT_SSH_CONFIG: write('one', 'Host a ü\n') })).toEqual({
      status: 0,
      stdout:
        '{\n  a = {\n    clientInterface = "local";\n    containers = { };\n    properties = {\n      address = "a";\n    };\n    targetProperty = "address";\n  };\n}\n',
      stderr: "warning: left out 'ü': it cannot be the name of a target\n",
    })
  })

  test.each([
    [[], 'no hosts'],
    [['a', '-i', 'x.yaml'], 'hosts and --infrastructure cannot be combined'],
    [['--from-ssh-config', '-i', 'x.yaml'], '--from-ssh-config and --infrastructure cannot be combined'],
    [['--from-ssh-config', 'a', 'b'], 'there is only one ssh configuration'],
    [['a', 'b=a', 'deploy@a'], "two hosts are called 'a'"],
    [['ü'], "'ü' gives no name for a target"],
    [['a b=c'], "'a b=c' gives no name for a target"],
    [['a='], "'a=' gives no name for a target"],
    [['--interface', 'my-client', 'a'], "'my-client' cannot tell what a machine is"],
  ])('refuses %j', async (argv, message) => {
    const ended = await capture(argv)
    expect(ended).toMatchObject({ status: 64, stdout: '' })
    expect(ended.stderr).toContain(`davit-capture-infrastructure: ${message} [usage]`)
  })
})

describe.skipIf(sshdMissing() !== undefined)('over ssh', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd.stop())

  test('machines that cannot be reached are named, and the others are printed, with status 69', async () => {
    const dead = `127.0.0.1:${await freePort()}`
    const { status, stdout, stderr } = await capture([`up=${sshd.address}`, `down=${dead}`], sshd.environment)
    expect(status).toBe(69)
    expect(stdout).toMatch(/^up:\n {2}containers:\n/)
    expect(stdout).toContain(`hostname: "${sshd.address}"\n`)
    expect(stdout).not.toContain('down')
    expect(stderr).toMatch(new RegExp(`^warning: target 'down' cannot be asked: .*'${dead}'`))

    const model = write(
      'model.yaml',
      `down: { properties: { hostname: "${dead}" } }\nup: { properties: { hostname: "${sshd.address}" } }\n`,
    )
    const completed = await capture(['-i', model], sshd.environment)
    expect(completed.status).toBe(69)
    expect(completed.stdout).toContain(
      `down:\n  containers: {}\n  properties:\n    hostname: "${dead}"\nup:\n  containers:\n`,
    )
  })

  test('nothing is printed if no machine can be reached', async () => {
    const dead = `127.0.0.1:${await freePort()}`
    const { status, stdout, stderr } = await capture([`down=${dead}`], sshd.environment)
    expect([status, stdout]).toEqual([69, ''])
    expect(stderr).toContain("davit-capture-infrastructure: cannot ask 'down' [targets-unreachable]")
    expect(stderr).toMatch(/^error: target 'down': /)
  })

  test('targets with one address need one channel', async () => {
    const before = sshd.log().match(/Starting session/g)?.length ?? 0
    const { status, stdout } = await capture([`a=${sshd.address}`, `b=${sshd.address}`], sshd.environment)
    expect([status, stdout.match(/^\w+:$/gm)]).toEqual([0, ['a:', 'b:']])
    await until(() => expect((sshd.log().match(/Starting session/g)?.length ?? 0) - before).toBe(1))
  })
})
