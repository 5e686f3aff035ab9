import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { directSenderScript } from '../src/target-runtime.ts'

/** Takes the place of ssh: notes its arguments, the host keys that it is given, and its input. */
const SSH = `#!/bin/sh
printf '%s\\n' "$@" >"$NOTES/arguments"
for word; do
  case $word in UserKnownHostsFile=*) cat "\${word#*=}" >"$NOTES/keys" ;; esac
done
echo $$ >"$NOTES/process"
[ ! -e "$NOTES/hang" ] || exec sleep 1000
cat >"$NOTES/input"
echo 'status 0'`

describe.each(installedShells())('an archive that is sent directly by $name', (shell) => {
  const directory = mkdtempSync(join(tmpdir(), 'davit-direct-'))
  const at = (name: string) => join(directory, name)
  const agent = createServer()
  beforeAll(async () => {
    for (const name of ['bin', 'data', 'notes', 'tmp']) mkdirSync(at(name))
    writeFileSync(at('bin/ssh'), SSH, { mode: 0o755 })
    writeFileSync(at('data/file'), 'x'.repeat(100_000))
    agent.listen(at('agent'))
    await once(agent, 'listening')
  })
  afterAll(() => {
    agent.close()
    rmSync(directory, { recursive: true })
  })

  const start = (socket = at('agent')) => {
    const peer = { hostname: 'web2', port: 2022, user: 'deploy', knownHosts: 'peer key\n', alias: 'peer' }
    const script = directSenderScript({
      directory: at('data'),
      names: ['file'],
      peer,
      command: 'receive',
      line: "it's",
    })
    const env = { PATH: `${at('bin')}:${shell.path}`, TMPDIR: at('tmp'), NOTES: at('notes'), SSH_AUTH_SOCK: socket }
    const child = spawn('sh', ['-c', script], { env: { ...env, LC_ALL: 'C' } })
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => (texts[name] += chunk.toString()))
    return { child, texts, end: once(child, 'close') }
  }

  test('follows the line, with the host keys alone by which the other is known', async () => {
    const { child, texts, end } = start()
    await end
    expect(texts.stdout).toBe('status 0\n')
    expect(new Set(texts.stderr.trimEnd().split('\n'))).toEqual(new Set(['sent 0', 'moving', 'ended 0']))
    expect(readFileSync(at('notes/keys'), 'utf8')).toBe('peer key\n')
    const input = readFileSync(at('notes/input'), 'utf8')
    expect(input.startsWith("it's\nfile\0")).toBe(true)
    expect(input.length).toBeGreaterThan(100_000)
    // Nothing of the account there takes part: neither settings, nor keys, nor what is known of hosts.
    const options = [
      'BatchMode=yes',
      'PreferredAuthentications=publickey',
      'IdentityFile=none',
      'StrictHostKeyChecking=yes',
      'HostKeyAlias=peer',
      expect.stringMatching(/^UserKnownHostsFile=\/proc\/\d+\/fd\/8$/),
      'GlobalKnownHostsFile=/dev/null',
      'CheckHostIP=no',
      'UpdateHostKeys=no',
      'ForwardAgent=no',
      'ControlPath=none',
      'LogLevel=ERROR',
      'ConnectTimeout=20',
      'ServerAliveInterval=15',
      'ServerAliveCountMax=3',
    ]
    const words = ['-F', 'none', '-T', '-l', 'deploy', '-p', '2022', ...options.flatMap((option) => ['-o', option])]
    expect(readFileSync(at('notes/arguments'), 'utf8').trimEnd().split('\n')).toEqual([
      ...words,
      '--',
      'web2',
      'receive',
    ])
    expect(readdirSync(at('tmp'))).toEqual([])
    child.stdin.end()
  })

  test.skipIf(spawnSync('ssh', ['-V']).error !== undefined)('has options that ssh understands so', async () => {
    const { child, end } = start()
    await end
    child.stdin.end()
    const words = readFileSync(at('notes/arguments'), 'utf8').trimEnd().split('\n').slice(0, -1)
    const said = spawnSync('ssh', ['-G', ...words], { encoding: 'utf8' }).stdout.split('\n')
    expect(said).toEqual(
      expect.arrayContaining([
        'batchmode yes',
        'stricthostkeychecking true',
        'forwardagent no',
        'identityfile none',
        'globalknownhostsfile /dev/null',
        'hostkeyalias peer',
        'updatehostkeys false',
        'checkhostip no',
        'permitlocalcommand no',
      ]),
    )
    expect(
      said.filter((line) => /^(?:proxycommand|proxyjump|localcommand|remotecommand|controlpath) /.test(line)),
    ).toEqual([])
  })

  test('ends with the input of the script', async () => {
    rmSync(at('notes/process'), { force: true })
    writeFileSync(at('notes/hang'), '')
    const { child, texts, end } = start()
    await until(() => existsSync(at('notes/process')) && readFileSync(at('notes/process'), 'utf8').endsWith('\n'))
    child.stdin.end()
    await end
    rmSync(at('notes/hang'))
    expect(texts.stderr).toMatch(/^ended 143$/m)
    expect(texts.stdout).toBe('')
    const process = readFileSync(at('notes/process'), 'utf8').trim()
    expect(existsSync(`/proc/${process}/cmdline`)).toBe(false)
  })

  test('is not sent without an agent', async () => {
    const { texts, end } = start(at('none'))
    await end
    expect(texts).toEqual({ stdout: '', stderr: 'no agent was forwarded (AllowAgentForwarding of its sshd)\n' })
  })
})
