import { mkdtemp, readFile } from 'node:fs/promises'

import { fits, type Schema } from '@davit/testing/json-schema'
import { removeTree } from '@davit/testing/scratch'
import { eventually } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, type Started, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models } from '../harness/models.ts'

const SCHEMA = new URL('../../docs/formats/schemas/service-log.json', import.meta.url)
const PASSWORD = 'correct horse battery'

/** Prints what is written to a file of its host. */
const script = (version: string) =>
  [`#!/bin/sh`, `echo version ${version} knows "$password"`, `: >>/tmp/say`, `exec tail -n +1 -f /tmp/say`].join('\n')

describe.skipIf(!HOSTS_POSSIBLE)('davit-logs of a service on three hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator
  let store: string

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'lg' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
    // A host that boots has an empty /tmp, and modules are in the store.
    store = await mkdtemp('/var/tmp/davit-test-')
    await user.write('password', `${PASSWORD}\n`)
    succeeded(await install('1'))
  })
  afterAll(async () => {
    await set?.down()
    removeTree(store)
    await user?.remove()
  })

  const models = (version: string): Models => ({
    services: {
      web: {
        type: 'process',
        pkg: {
          build: {
            env: { text: script(version) },
            script: 'mkdir -p "$out/bin"; printf "%s\\n" "$text" >"$out/bin/web"; chmod +x "$out/bin/web"',
          },
        },
      },
    },
    infrastructure: infrastructureOf(hosts, {
      containers: { process: { password: { secret: { file: 'password' } } } },
    }),
    distribution: { web: hosts.map(({ name }) => name) },
  })
  const install = (version: string) => deploy(user, models(version), { environment: { DAVIT_STORE_DIR: store } })
  const say = (host: number, text: string) => hosts[host]!.sh('printf "%s\\n" "$1" >>/tmp/say', text)
  const logs = (...options: readonly string[]) => user.run(['davit-logs', 'web', ...options])
  const shows = (tool: Started, text: string) => eventually(`'${text}'`, () => expect(tool.stdout()).toContain(text))
  let following: Started | undefined
  /** Begins to follow, and waits until it has read all logs once. */
  const follow = async (environment: Readonly<Record<string, string>> = {}) => {
    const tool = user.start(['davit-logs', 'web', '-f', '-n', '1'], { environment })
    following = tool
    for (const { name } of hosts) {
      // oxlint-disable-next-line no-await-in-loop
      await shows(tool, ` ${name}:process `)
    }
    return tool
  }
  const interrupted = async (tool: Started) => {
    tool.process.kill('SIGINT')
    const { status, stderr } = await tool.outcome
    expect(status).toBe(130)
    // It was to go on until then.
    expect(stderr).not.toMatch(/interrupted by|same command/)
  }
  afterEach(async () => {
    following?.process.kill('SIGKILL')
    await following?.outcome
    following = undefined
  })

  test('merges the lines of all by time, and hides what must not be seen', async () => {
    for (const number of [3, 1, 2, 6, 4, 5]) {
      // oxlint-disable-next-line no-await-in-loop
      await say(number % 3, `2026-01-02T03:04:0${number}.5Z line ${number} \x1b[31m\u202e`)
    }
    await eventually('all lines', async () => (await logs()).stdout.match(/ line /g)?.length === 6)
    const { stdout } = succeeded(await logs('--since', '2026-01-02'))
    expect(stdout.split('\n').filter((line) => line.includes(' line '))).toEqual(
      ['2 lg3', '1 lg2', '3 lg1', '5 lg3', '4 lg2', '6 lg1']
        .toSorted()
        .map((text) => text.split(' '))
        .map(
          ([number, host]) =>
            expect.stringMatching(
              `^2026-01-02T03:04:0${number}.500Z ${host}:process +\\| line ${number} \\\\u001b\\[31m\\\\u202e$`,
            ) as string,
        ),
    )
    expect(stdout).toContain('version 1 knows [secret]\n')
    expect(stdout).not.toContain('battery')
  })

  test('shows those of activities, of some targets only, and as JSON', async () => {
    const schema = JSON.parse(await readFile(SCHEMA, 'utf8')) as Schema
    const { stdout } = succeeded(await logs('--activity', '-t', 'lg2', '-t', 'lg3', '--format', 'json'))
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(lines.map((line) => fits(schema, line))).toEqual([true, true])
    expect(lines.map(({ target, activity, service }) => [target, activity, service])).toEqual([
      ['lg2', 'activate', 'web'],
      ['lg3', 'activate', 'web'],
    ])
  })

  test('follows a service that is restarted, and one of another version, until it is interrupted', async () => {
    const tool = await follow()
    await say(0, 'before')
    await shows(tool, '| before\n')
    succeeded(await install('2'))
    await shows(tool, '| version 2 knows [secret]\n')
    for (const { name } of hosts) {
      // oxlint-disable-next-line no-await-in-loop
      await shows(tool, `${name}:process activate`)
    }
    await say(2, 'after')
    await shows(tool, '| after\n')
    expect(tool.stdout().match(/\| before\n/g)).toHaveLength(2)
    await interrupted(tool)
  })

  test('names a host that is down, and shows the others', async () => {
    await hosts[1]!.sshd('stop')
    const { status, stdout, stderr } = await logs()
    // Who does not select it need not hear of it.
    expect(succeeded(await logs('--on', 'lg1,lg3'))).toMatchObject({ stdout, stderr: '' })
    await hosts[1]!.sshd('start')
    expect([status, stderr]).toEqual([69, expect.stringMatching(/^\[lg2\] warning: cannot read its logs: /m)])
    expect(['lg1', 'lg2', 'lg3'].map((name) => stdout.includes(`${name}:process`))).toEqual([true, false, true])
  })

  test('goes on after a host was unreachable, rebooted, or cut off, and loses nothing', async () => {
    const tool = await follow({ DAVIT_ANSWER_TIMEOUT: '5' })
    await say(0, 'one')
    await shows(tool, '| one\n')
    await hosts[0]!.sshd('stop')
    await eventually('that it is lost', () => expect(tool.stderr()).toMatch(/retrying|interrupted/))
    await say(0, 'two')
    await say(1, 'meanwhile')
    await shows(tool, '| meanwhile\n')
    await hosts[0]!.sshd('start')
    await shows(tool, '| two\n')
    await hosts[1]!.befall('cut')
    await eventually('that it is interrupted', () =>
      expect(tool.stderr()).toMatch(/\[lg2\] warning: its logs are interrupted/),
    )
    await say(1, 'three')
    await hosts[1]!.befall('join')
    await shows(tool, '| three\n')
    expect(tool.stderr()).toMatch(/\[lg2\] its logs go on/)
    await hosts[2]!.befall('reboot')
    await hosts[2]!.sh('echo woken >>/var/lib/davit/targets/lg3/log/services/web.log')
    await shows(tool, '| woken\n')
    for (const text of ['one', 'two', 'three', 'woken']) expect(tool.stdout().split(`| ${text}\n`)).toHaveLength(2)
    await interrupted(tool)
  })

  test('tells of a service that is nowhere', async () => {
    const { status, stdout, stderr } = await user.run(['davit-logs', 'wbe'])
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      "davit-logs: there is no service 'wbe' on these targets [no-service]\nhint: did you mean 'web'?\n",
    ])
  })
})

describe.skipIf(!HOSTS_POSSIBLE)('davit-logs of a unit of systemd', () => {
  let set: TestHosts
  let host: Host
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(1, { prefix: 'ls', kind: 'systemd' })
    host = set.hosts[0]!
    user = await coordinator({ hosts: set })
    await host.sh('systemctl is-system-running --wait; : >/tmp/say')
    const unit = '[Service]\nExecStart=/usr/bin/tail -n +1 -f /tmp/say\n'
    const build = {
      env: { unit },
      script: 'mkdir -p "$out/etc/systemd/system"; printf "%s" "$unit" >"$out/etc/systemd/system/davit-says.service"',
    }
    const infrastructure = infrastructureOf([host], { containers: { 'systemd-unit': {} } })
    const services = { says: { type: 'systemd-unit', pkg: { build } } }
    succeeded(await deploy(user, { services, infrastructure, distribution: { says: ['ls1'] } }))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  test('prints what the journal has, and follows it: each line once, with its time', async () => {
    const say = (text: string) => host.sh('printf "%s\\n" "$1" >>/tmp/say', text)
    const line = (text: string) =>
      new RegExp(String.raw`^\d{4}-\d\d-\d\dT[\d:.]{12}Z ls1:systemd-unit +\| tail\[\d+\]: ${text}$`, 'gm')
    await say('first')
    await eventually('the first line', async () =>
      expect((await user.run(['davit-logs', 'says'])).stdout).toMatch(line('first')),
    )
    const tool = user.start(['davit-logs', 'says', '-f'])
    await eventually('the first line again', () => expect(tool.stdout()).toMatch(line('first')))
    for (const text of ['second', 'third']) {
      // oxlint-disable-next-line no-await-in-loop
      await say(text)
      // oxlint-disable-next-line no-await-in-loop
      await eventually(text, () => expect(tool.stdout()).toMatch(line(text)))
    }
    tool.process.kill('SIGINT')
    const { status, stdout } = await tool.outcome
    expect(status).toBe(130)
    for (const text of ['first', 'second', 'third']) expect(stdout.match(line(text))).toHaveLength(1)
    expect(succeeded(await user.run(['davit-logs', 'says', '-n', '1'])).stdout).toMatch(line('third'))
    expect((await user.run(['davit-logs', 'says', '-n', '1'])).stdout).not.toMatch(line('second'))
  })
})
