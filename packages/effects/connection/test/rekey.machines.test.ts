import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { environment } from '@davit/process'
import type { Connection as ServedClient, ParsedKey } from 'ssh2'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectionPool, type SshOptions } from '../src/connection.ts'
import { loadSsh2 } from '../src/load-ssh2.ts'

const { Server, utils } = await loadSsh2()

/** A key of a server, private and public. */
function newKey(): { readonly text: string; readonly parsed: ParsedKey; readonly known: string } {
  const { private: text } = utils.generateKeyPairSync('ed25519')
  const parsed = utils.parseKey(text)
  if (parsed instanceof Error) throw parsed
  return { text, parsed, known: `ssh-ed25519 ${parsed.getPublicSSH().toString('base64')}` }
}

/** A client as the server sees it, with the internals of ssh2 that choose the next host key; ssh2 has no option for that. */
type Shifty = ServedClient & { readonly _protocol: { _hostKeys: Readonly<Record<string, ParsedKey>> } }

describe('a server whose host key changes while a connection is open', () => {
  const [first, second] = [newKey(), newKey()]
  let directory: string
  let served: Shifty[]
  let server: InstanceType<typeof Server>
  let address: string
  let options: SshOptions

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-rekey-'))
    served = []
    server = new Server({ hostKeys: [first.text] }, (client) => {
      served.push(client as Shifty)
      client.on('authentication', (attempt) => attempt.accept())
      client.on('error', () => {})
      client.on('session', (accept) => accept().on('exec', (take) => void take()))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = (server.address() as AddressInfo).port
    address = `127.0.0.1:${port}`
    const { private: identity } = utils.generateKeyPairSync('ed25519')
    writeFileSync(join(directory, 'identity'), identity, { mode: 0o600 })
    const lines = [
      `UserKnownHostsFile ${directory}/known_hosts`,
      'GlobalKnownHostsFile /dev/null',
      'StrictHostKeyChecking yes',
      `IdentityFile ${directory}/identity`,
      'IdentitiesOnly yes',
      'IdentityAgent none',
      `User ${userInfo().username}`,
    ]
    writeFileSync(join(directory, 'config'), `${lines.join('\n')}\n`)
    options = { environment: { ...environment(), HOME: directory, DAVIT_SSH_CONFIG: join(directory, 'config') } }
  })
  afterEach(() => {
    for (const client of served) client.end()
    server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const known = (...keys: readonly string[]) =>
    writeFileSync(
      join(directory, 'known_hosts'),
      keys.map((key) => `[127.0.0.1]:${address.split(':')[1]} ${key}\n`).join(''),
    )
  const shift = (client: Shifty | undefined) => {
    if (client === undefined) throw new Error('nobody is connected')
    // oxlint-disable-next-line eslint/no-underscore-dangle
    client._protocol._hostKeys = { 'ssh-ed25519': second.parsed }
    client.rekey()
  }

  test('is disconnected, though the other key is known as well', async () => {
    known(first.known, second.known)
    const pool = connectionPool(options)
    const connection = await pool.connect([{ kind: 'ssh', address }])
    const channel = await connection.run('true')
    const ended = channel.exit.then(
      () => 'ended',
      () => 'lost',
    )
    shift(served[0])
    expect(await ended).toBe('lost')
    await expect(connection.run('true')).rejects.toMatchObject({ code: 'connection-lost' })
    await pool.close()
  })

  test('goes on with the same key, and is verified anew when it is connected to again', async () => {
    known(first.known)
    const pool = connectionPool(options)
    const connection = await pool.connect([{ kind: 'ssh', address }])
    const [client] = served
    const rekeyed = once(client as ServedClient, 'rekey')
    client?.rekey()
    await rekeyed
    await connection.run('true')
    client?.end()
    await connection.lost
    known(second.known)
    await expect(pool.connect([{ kind: 'ssh', address }])).rejects.toMatchObject({
      code: 'host-key-changed',
      exitStatus: 77,
    })
    known(first.known)
    await (await pool.connect([{ kind: 'ssh', address }])).run('true')
    await pool.close()
  })
})
