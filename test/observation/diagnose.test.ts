import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { deploy, infrastructureOf, type Models } from '../harness/models.ts'

const PASSWORD = 'correct horse "battery" \'staple\''
const FILES = [
  ['/tmp/davit-shell.*', '/tmp/davit-record.*'].join(' '),
  `$(grep -rlF 'horse "battery"' /tmp /var/lib/davit /root 2>/dev/null)`,
].join(' ')

describe.skipIf(!HOSTS_POSSIBLE)('davit-diagnose of a service on three hosts', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'dg' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
    await user.write('password', `${PASSWORD}\n`)
    succeeded(await deploy(user, models()))
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (distribution: Models['distribution'] = { web: ['dg1', 'dg2', 'dg3'] }): Models => {
    const script =
      'mkdir -p "$out/bin"; printf "#!/bin/sh\\nexec sleep 86395\\n" >"$out/bin/web"; chmod +x "$out/bin/web"'
    const process = { port: 80, motto: "it's $HOME", password: { secret: { file: 'password' } } }
    return {
      services: { web: { type: 'process', pkg: { build: { script } } } },
      infrastructure: infrastructureOf(hosts, { containers: { process, second: process } }),
      distribution,
    }
  }
  const diagnose = (...words: readonly string[]) => user.run(['davit-diagnose', '-S', 'web', ...words])
  /** Types lines into a shell with a terminal of its own. */
  const typed = (lines: readonly string[], ...words: readonly string[]) => {
    const command = ['davit-diagnose', '-S', 'web', ...words].join(' ')
    return user.bash(`printf '%s\\n' "$LINES_TO_TYPE" | script -qec "${command}" /dev/null`, {
      environment: { LINES_TO_TYPE: lines.join('\n') },
    })
  }

  test('lists where the service is, and takes no shell for all of them', async () => {
    const list =
      'TARGET  CONTAINER  STATE\n' + ['dg1', 'dg2', 'dg3'].map((name) => `${name}     process    active\n`).join('')
    expect(succeeded(await diagnose('--show-mappings')).stdout).toBe(list)
    const { status, stderr } = await diagnose()
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/in 3 places \[several-places\]\nhint: choose one: -t dg1 -c process, or /),
    ])
    expect(await diagnose('-t', 'nowhere')).toMatchObject({ status: 64 })
    expect(await diagnose('-c', 'second')).toMatchObject({ status: 1, stdout: '' })
  })

  test('runs a command line everywhere, with properties, directories and hidden secrets', async () => {
    const command =
      'echo "$port $motto $DAVIT_SERVICE $DAVIT_TARGET"; pwd; echo "$password"; [ "$DAVIT_PACKAGE" = "$PWD" ]'
    const { stdout, stderr } = succeeded(await diagnose('--', command))
    expect(stderr).toBe('')
    for (const { name } of hosts) {
      const own = stdout.split('\n').filter((line) => line.startsWith(`${name}:process | `))
      expect(own.map((line) => line.slice(`${name}:process | `.length))).toEqual([
        `80 it's $HOME web ${name}`,
        expect.stringMatching(/^\/.*-web$/),
        '[secret]',
      ])
    }
  })

  test('runs words as they are, tells which commands failed, and that they have failed', async () => {
    expect(succeeded(await diagnose('-t', 'dg2', '--no-prefix', '--', 'printf', '%s\\n', 'a  $b', "it's")).stdout).toBe(
      "a  $b\nit's\n",
    )
    const command = '[ "$DAVIT_TARGET" = dg1 ] || { printf "\\033[31mno" >&2; exit 7; }'
    const { status, stdout, stderr } = await diagnose('--', command)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('[dg2] process: \\u001b[31mno\n')
    expect(stderr.match(/in process, the command ended with status 7/g)).toHaveLength(2)
  })

  test('ends the command when it is interrupted', async () => {
    const tool = user.start(['davit-diagnose', '-S', 'web', '-t', 'dg1', '--', 'echo begun; exec sleep 86394'])
    await eventually('the command', () => expect(tool.stdout()).toContain('begun'))
    tool.process.kill('SIGINT')
    expect((await tool.outcome).status).toBe(130)
    await eventually('its end', async () => expect(await hosts[0]!.sh('pgrep -f "sleep [8]6394" || :')).toBe(''))
  })

  test('opens a shell with a terminal, and ends with its status', async () => {
    const lines = ['echo "<$port> <$DAVIT_TARGET> <$password>"', 'tty', 'exit 5']
    const { status, stdout } = await typed(lines, '-t', 'dg3')
    expect(stdout).toContain('web in process on dg3: properties of the container are variables')
    expect(stdout).toContain(`<80> <dg3> <${PASSWORD}>`)
    expect(stdout).toMatch(/\/dev\/pts\/\d/)
    expect(status).toBe(5)
  })

  test('takes commands for a shell from a pipe', async () => {
    const { status, stdout } = await user.run(['davit-diagnose', '-S', 'web', '-t', 'dg1'], {
      input: 'echo "$DAVIT_TARGET"\nexit 3\n',
      process: true,
    })
    expect([status, stdout]).toEqual([3, 'dg1\n'])
  })

  test('knows a service that is not active, from a manifest', async () => {
    await user.write('manifest.xml', succeeded(await user.run(['davit-generations', '--current'])).stdout)
    succeeded(await deploy(user, models({ web: ['dg1', 'dg2'] })))
    // The current generation does not have this module any more.
    const there = ['-i', 'manifest.xml', '-t', 'dg3', '--trust-programs']
    expect(succeeded(await diagnose(...there, '--show-mappings')).stdout).toContain('not active')
    const command = 'echo "$DAVIT_TARGET $port $password"; ls bin'
    expect(succeeded(await diagnose(...there, '--', command)).stdout).toBe(
      ['80 [secret]', 'web'].map((text, index) => `dg3:process | ${index === 0 ? 'dg3 ' : ''}${text}\n`).join(''),
    )
    expect((await typed(['echo "<$password>"', 'exit'], ...there)).stdout).toContain(`<${PASSWORD}>`)
  })

  test('goes on without a host that is down, and says so', async () => {
    await hosts[0]!.sshd('stop')
    const { status, stdout, stderr } = await diagnose('--', 'echo here')
    // Who does not select it need not hear of it.
    expect(succeeded(await diagnose('--on', 'dg2', '--', 'echo here'))).toMatchObject({ stdout, stderr: '' })
    await hosts[0]!.sshd('start')
    expect([status, stdout]).toEqual([69, 'dg2:process | here\n'])
    expect(stderr).toMatch(/^\[dg1\] warning: nothing can be done there: /m)
  })

  test('leaves neither scripts nor secrets anywhere', async () => {
    for (const host of hosts) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await host.sh(`ls -d ${FILES} 2>/dev/null || :`)).toBe('')
    }
  })
})
