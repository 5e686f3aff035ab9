import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { failureOf } from '@davit/diagnostics/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { BOOTSTRAP_COMMAND, directSsh } from '../src/connection.ts'

const REAL = spawnSync('sh', ['-c', 'command -v ssh'], { encoding: 'utf8' }).stdout.trim()

describe.skipIf(REAL === '')('the way of an agent to another machine', () => {
  let directory: string
  const at = (name: string) => join(directory, name)
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-direct-ssh-'))
    mkdirSync(at('bin'))
    // Answers questions about settings like ssh; otherwise notes its arguments and copies its input.
    const script = `case " $* " in *' -G '*) exec ${REAL} "$@" ;; esac\nprintf '%s\\n' "$@" >'${at('words')}'\ncat`
    writeFileSync(at('bin/ssh'), `#!/bin/sh\n${script}\n`)
    chmodSync(at('bin/ssh'), 0o755)
    writeFileSync(at('known'), '')
    writeFileSync(at('config'), `Host *\n  UserKnownHostsFile ${at('known')}\n  GlobalKnownHostsFile /dev/null\n`)
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const ways = (more: Readonly<Record<string, string>> = {}) =>
    directSsh({
      environment: { PATH: `${at('bin')}:${process.env['PATH']}`, DAVIT_SSH_CONFIG: at('config'), ...more },
      directory,
    })

  test('is a connection of ssh that neither asks nor accepts new keys, nor is shared, with the agent', async () => {
    const { stdin, stdout, exit } = await ways({ SSH_AUTH_SOCK: at('agent') }).runWithAgent('me@web1:2022', 'true')
    stdin.end('rest')
    expect(await text(stdout)).toMatch(/rest$/)
    expect(await exit).toBe(0)
    const options = [
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      'ForwardAgent=yes',
      'ControlPath=none',
      'LogLevel=ERROR',
      'ServerAliveInterval=15',
      'ServerAliveCountMax=3',
      'ConnectTimeout=20',
    ].flatMap((option) => ['-o', option])
    const address = ['-F', at('config'), '-l', 'me', '-p', '2022', '--', 'web1']
    expect(readFileSync(at('words'), 'utf8').trimEnd()).toBe(
      ['-T', ...options, ...address, BOOTSTRAP_COMMAND].join('\n'),
    )
  })

  test('is none without an agent', async () => {
    const refused = await ways()
      .runWithAgent('web1', 'true')
      .then(
        () => undefined,
        (error: unknown) =>
          failureOf(() => {
            throw error
          }),
      )
    expect(refused).toMatchObject({ code: 'transfer-failed', message: 'there is no ssh agent to forward' })
  })

  test('leads only to a machine whose host keys are known, with these alone', async () => {
    await expect(ways().peerAt('web1')).rejects.toMatchObject({
      code: 'transfer-failed',
      message: "no host key of 'web1' is in the files of known hosts",
    })
    const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
    const key = (name: string) =>
      `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.alloc(32, name))]).toString('base64')}`
    const keys = [`web1 ${key('one')}`, `other ${key('two')}`, `@revoked web1 ${key('three')}`]
    writeFileSync(at('known'), `${keys.join('\n')}\n`)
    expect(await ways().peerAt('me@web1:22')).toEqual({
      hostname: 'web1',
      port: 22,
      user: 'me',
      knownHosts: `davit-peer ${key('one')}\n`,
    })
  })
})
