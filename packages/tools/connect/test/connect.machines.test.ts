import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'

import { holdConnections } from '@davit/connection'
import { encodeDocument, Manifest, validateDocument } from '@davit/documents'
import { freePort } from '@davit/testing/free-port'
import { scratchDirectory } from '@davit/testing/scratch'
import { type CallHere, runHere } from '@davit/tool/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { tool } from '../src/main.ts'

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
})

const path = (name: string) => join(directory, name)
const environment = (more: Readonly<Record<string, string>> = {}) => ({ HOME: directory, TMPDIR: directory, ...more })
const connect = (argv: readonly string[], call: CallHere = {}) =>
  runHere(tool, argv, { environment: environment(), directory, ...call })
/** Runs davit-connect around a script, and returns its status and what the script wrote into `out`. */
async function around(
  script: string,
  { manifest = [] as readonly string[], ...call }: CallHere & { readonly manifest?: readonly string[] } = {},
) {
  const ended = await connect([...manifest, '--', '/bin/sh', '-c', script, 'sh', path('out')], call)
  return { ...ended, out: existsSync(path('out')) ? readFileSync(path('out'), 'utf8') : undefined }
}
const sockets = () => readdirSync(directory).filter((name) => name.startsWith('davit-connect.'))

/** A manifest of targets with these client interfaces and addresses. */
function manifestOf(targets: Readonly<Record<string, readonly [clientInterface: string, hostname: string]>>): string {
  const infrastructure = Object.entries(targets).map(([name, [clientInterface, hostname]]) => [
    name,
    { properties: { hostname }, containers: {}, system: 'x86_64-linux', clientInterface, targetProperty: 'hostname' },
  ])
  const none = { profiles: {}, services: {}, serviceMappings: [], snapshotMappings: [] }
  const document = {
    ...none,
    store: { kind: 'native', directory: '/store' },
    infrastructure: Object.fromEntries(infrastructure) as object,
  }
  const text = encodeDocument(Manifest, validateDocument(Manifest, document, { file: 'manifest' }), 'json')
  writeFileSync(path('manifest.json'), text)
  return path('manifest.json')
}

describe('davit-connect', () => {
  test.each([0, 7])('ends with the status %i of its command', async (status) => {
    expect(await around(`exit ${status}`)).toEqual({ status, stdout: '', stderr: '', out: undefined })
  })

  test('serves a socket in a directory of its own while the command runs, and names it in the environment', async () => {
    const { status, out = '' } = await around(
      'echo "$DAVIT_CONNECT" >"$1"; [ -S "$DAVIT_CONNECT" ] && stat -c %a "${DAVIT_CONNECT%/*}" >>"$1"',
    )
    const [socket = '', mode] = out.split('\n')
    expect([status, dirname(dirname(socket)), mode]).toEqual([0, directory, '700'])
    expect(sockets()).toEqual([])
  })

  test('hands the rest of the environment on, but not who has called it', async () => {
    const call = { environment: environment({ DAVIT_CALLER: 'davit-env', OTHER: 'kept' }) }
    expect(await around('echo "${DAVIT_CALLER-none} $OTHER" >"$1"', call)).toMatchObject({ out: 'none kept\n' })
  })

  test('within another one uses that, and makes none of its own', async () => {
    const holder = await holdConnections({ environment: environment() })
    onTestFinished(() => holder.close())
    const call = { environment: environment({ DAVIT_CONNECT: holder.socket }) }
    const { status, out } = await around(
      'echo "$DAVIT_CONNECT" >"$1"; ls -d "$TMPDIR"/davit-connect.* | wc -l >>"$1"',
      call,
    )
    expect([status, out?.split('\n').map((line) => line.trim())]).toEqual([0, [holder.socket, '1', '']])
    expect(existsSync(holder.socket)).toBe(true)
  })

  test('makes one of its own if the other one is gone', async () => {
    const gone = path('gone/socket')
    const { status, out } = await around('echo "$DAVIT_CONNECT" >"$1"', {
      environment: environment({ DAVIT_CONNECT: gone }),
    })
    expect([status, out === `${gone}\n`, sockets()]).toEqual([0, false, []])
  })

  test('connects to the targets of a manifest in advance, and keeps to itself what did not work', async () => {
    const manifest = [manifestOf({ t1: ['ssh', `127.0.0.1:${await freePort()}`], t2: ['local', 'localhost'] })]
    expect(await around('exit 3', { manifest })).toMatchObject({ status: 3, stderr: '' })
    const { status, stderr } = await connect(
      [
        '-v',
        ...manifest,
        '--',
        '/bin/sh',
        '-c',
        `until [ -e ${path('go')} ] || [ ! -d ${directory} ]; do sleep 0.02; done`,
      ],
      {
        onErrors: (printed) => void (printed.includes('not connected in advance') && writeFileSync(path('go'), '')),
      },
    )
    expect([status, stderr.split('\n').filter((line) => line.includes('not connected in advance'))]).toEqual([
      0,
      [expect.stringMatching(/not connected in advance: cannot reach '127\.0\.0\.1:\d+'/)],
    ])
  })

  test('ends with its command although a target does not answer, and says nothing of that', async () => {
    const asked = new Set<Socket>()
    const server = createServer((socket) => {
      asked.add(socket.resume())
      writeFileSync(path('asked'), '')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      for (const socket of asked) socket.destroy()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const manifest = [manifestOf({ silent: ['ssh', `127.0.0.1:${port}`] })]
    const script = `until [ -e ${path('asked')} ] || [ ! -d ${directory} ]; do sleep 0.02; done; exit 4`
    let printed = ''
    const { status } = await connect(['-v', ...manifest, '--', '/bin/sh', '-c', script], {
      environment: environment({ SSH_OPTS: '-o ConnectTimeout=3600' }),
      onErrors: (all) => void (printed = all),
    })
    await Promise.all([...asked].map(async (socket) => socket.closed || once(socket, 'close')))
    await new Promise((resolve) => setImmediate(resolve))
    expect([status, printed]).toEqual([4, expect.not.stringContaining('not connected')])
  })

  test('leaves nothing behind if there is no such command', async () => {
    const { status, stderr } = await connect(['--', '/nonexistent/program'])
    expect([status, stderr, sockets()]).toEqual([
      69,
      "davit-connect: cannot run '/nonexistent/program': no such program [program-not-found]\ncaused by: spawn /nonexistent/program ENOENT\nhint: check the name and PATH\n",
      [],
    ])
  })

  test.each([
    ['a call without a command', ['manifest.json'], 64, 'no command given'],
    [
      'a manifest on standard input, which belongs to the command',
      ['-', '--'],
      64,
      'the manifest cannot come from standard input',
    ],
    ['a manifest that is not there', ['gone.xml', '--'], 66, "cannot read 'gone.xml'"],
  ])('refuses %s, and runs nothing', async (_, words, status, message) => {
    const command = words.includes('--') ? ['/bin/sh', '-c', `: >${path('ran')}`] : []
    const ended = await connect([...words, ...command])
    expect([ended.status, existsSync(path('ran')), sockets()]).toEqual([status, false, []])
    expect(ended.stderr).toContain(message)
  })
})
