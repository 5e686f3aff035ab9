import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { StorePath } from '@davit/documents'
import { noPrivateNix, privateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyPaths, openServe, type PathInfo, type ServeClient, withLocalServe } from '../src/nix.ts'
import { encodeRequest, type RequestPart } from '../src/serve-wire.ts'

const source = privateNixOfFile()
const signal = new AbortController().signal
/** Where the content of a file begins in its archive. */
const CONTENT = 96
const ABSENT = `/nix/store/${'0'.repeat(32)}-absent` as StorePath

/** Three packages, each of which refers to the one before. */
const CHAIN = `
  let make = name: text: derivation {
    inherit name; system = "x86_64-linux"; builder = "/bin/sh"; args = [ "-c" "echo \${text} >$out" ];
  };
  lib = make "lib" "lib"; web = make "web" lib; top = make "top" web;
  in [ lib web top ]`

let chain: readonly StorePath[] | undefined
function chainOfPackages(): readonly StorePath[] {
  const script = 'nix-store --realise $(nix-instantiate --option system x86_64-linux -E "$1" 2>/dev/null) 2>/dev/null'
  chain ??= source.shell(script, CHAIN).trim().split('\n') as StorePath[]
  return chain
}

function emptyStore() {
  const nix = privateNix()
  onTestFinished(() => nix.remove())
  return nix
}

async function copied(paths: readonly StorePath[], to: ServeClient, from: ServeClient) {
  return copyPaths(from, to, { infos: await from.pathInfos(await from.closure(paths)), signal })
}

describe.skipIf(noPrivateNix !== undefined)('with a real store', () => {
  test('validPaths(), pathInfos() and closure() agree with nix-store', async () => {
    const paths = chainOfPackages()
    const [lib, web, top] = paths
    await withLocalServe(source.environment, async (client) => {
      const [valid, infos, closure, none] = await Promise.all([
        client.validPaths([ABSENT, ...paths]),
        client.pathInfos([ABSENT, top!]),
        client.closure([web!]),
        client.validPaths([]),
      ])
      expect(valid).toStrictEqual(new Set(paths))
      expect(none.size).toBe(0)
      expect(new Set(closure)).toStrictEqual(new Set([lib, web]))
      const [hash, size, deriver] = source
        .shell('nix-store -q --hash "$1"; nix-store -q --size "$1"; nix-store -q --deriver "$1"', top!)
        .split('\n')
      const expected = { path: top, references: [web], narHash: hash, narSize: Number(size), deriver }
      expect(infos).toStrictEqual([{ ...expected, contentAddress: '', signatures: [] }])
    })
  })

  test('dump() gives the archive', async () => {
    const [lib] = chainOfPackages()
    const dumped = await withLocalServe(source.environment, async (client) => {
      const [info] = await client.pathInfos([lib!])
      const [first, second] = [client.dump(info!), client.dump(info!)]
      const archives = [await buffer(first), await buffer(second)]
      expect(archives[0]).toStrictEqual(archives[1])
      return archives[0]!
    })
    expect(dumped.toString('latin1')).toBe(source.shell('nix-store --dump "$1"', lib!))
  })

  test('validPaths() takes any number of paths', async () => {
    const paths = Array.from({ length: 40_000 }, (_, index) => {
      return `/nix/store/${String(index).padStart(32, '0')}-with-a-name-of-some-length` as StorePath
    })
    const ask = withLocalServe(source.environment, (client) => client.validPaths([...paths, chainOfPackages()[0]!]))
    expect(await ask).toStrictEqual(new Set([chainOfPackages()[0]]))
  })

  test('copyPaths() makes a closure valid in another store, and copies nothing twice', async () => {
    const paths = chainOfPackages()
    const nix = emptyStore()
    const bytes = await withLocalServe(source.environment, (from) =>
      withLocalServe(nix.environment, async (to) => {
        const first = await copied([paths[2]!], to, from)
        expect(first.paths).toBe(3)
        expect(await copied([paths[2]!], to, from)).toStrictEqual(first)
        return first.bytes
      }),
    )
    expect(
      nix.shell('nix-store -qR "$1" && nix-store --verify --check-contents', paths[2]!).trim().split('\n'),
    ).toStrictEqual(paths)
    const sizes = source
      .shell('nix-store -q --size "$@"', ...paths)
      .trim()
      .split('\n')
    expect(bytes).toBe(sizes.reduce((sum, size) => sum + Number(size), 0))
  })

  test('a store refuses an archive with a changed byte, and reports why', async () => {
    const [lib] = chainOfPackages()
    const nix = emptyStore()
    const adding = withLocalServe(source.environment, (from) =>
      withLocalServe(nix.environment, async (to) => {
        const [info] = await from.pathInfos([lib!])
        const archive = await buffer(from.dump(info!))
        archive[CONTENT]! ^= 1
        await to.add(info!, piecesOf(archive))
      }),
    )
    await expect(adding).rejects.toMatchObject({
      code: 'nix-store-ended',
      message: expect.stringMatching('hash mismatch'),
    })
    expect(nix.shell('nix-store --check-validity --print-invalid "$1"', lib!).trim()).toBe(lib)
  })

  test('a store refuses a path whose reference it does not have', async () => {
    const [, web] = chainOfPackages()
    const nix = emptyStore()
    const adding = withLocalServe(source.environment, (from) =>
      withLocalServe(nix.environment, async (to) =>
        copyPaths(from, to, { infos: await from.pathInfos([web!]), signal }),
      ),
    )
    await expect(adding).rejects.toMatchObject({
      code: 'nix-store-ended',
      message: expect.stringMatching('is not valid'),
    })
  })

  test.each([
    ['shorter', -1],
    ['longer', 1],
  ])('add() fails when the archive is %s than announced', async (_, difference) => {
    const [lib] = chainOfPackages()
    const nix = emptyStore()
    const adding = withLocalServe(source.environment, (from) =>
      withLocalServe(nix.environment, async (to) => {
        const [info] = await from.pathInfos([lib!])
        const archive = await buffer(from.dump(info!))
        await to.add({ ...info!, narSize: archive.length - difference }, piecesOf(archive))
      }),
    )
    await expect(adding).rejects.toMatchObject({ code: 'bad-archive' })
    expect(nix.shell('nix-store --check-validity --print-invalid "$1"', lib!).trim()).toBe(lib)
  })

  test('a transfer that was cut off is finished by the next one', async () => {
    const paths = chainOfPackages()
    const nix = emptyStore()
    const store = serveProcess(nix.environment)
    const cut = withLocalServe(source.environment, async (from) => {
      const to = await openServe(store)
      const infos = await from.pathInfos(paths)
      const killing = async function* (archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        for await (const chunk of archive) yield chunk.subarray(0, 40)
        store.kill('SIGKILL')
        await once(store, 'close')
      }
      const ordered = paths.map((path) => infos.find((info) => info.path === path)!)
      await to.add(ordered[0]!, from.dump(ordered[0]!))
      await to.add(ordered[1]!, killing(from.dump(ordered[1]!)))
    })
    await expect(cut).rejects.toMatchObject({ code: 'nix-store-ended' })
    const complete = nix.shell('nix-store --verify 2>/dev/null; nix-store -q --requisites "$1"', paths[0]!)
    expect(complete.trim()).toBe(paths[0])
    await withLocalServe(source.environment, (from) =>
      withLocalServe(nix.environment, (to) => copied([paths[2]!], to, from)),
    )
    expect(nix.shell('nix-store --verify --check-contents 2>/dev/null; nix-store -qR "$1"', paths[2]!).trim()).toBe(
      paths.join('\n'),
    )
  })

  test('copyPaths() stops on an abort, and throws its reason', async () => {
    const paths = chainOfPackages()
    const nix = emptyStore()
    const abort = new AbortController()
    const copying = withLocalServe(source.environment, (from) =>
      withLocalServe(nix.environment, async (to) => {
        const infos = await from.pathInfos(paths)
        const stuck = {
          ...to,
          add: () => new Promise<void>((_, reject) => abort.signal.addEventListener('abort', reject)),
        }
        const copy = copyPaths(from, stuck, { infos, signal: abort.signal })
        abort.abort(new Error('enough'))
        await copy
      }),
    )
    await expect(copying).rejects.toThrow('enough')
  })

  test('the last words of nix-store are reported when it ends', async () => {
    const asking = withLocalServe(source.environment, (client) => client.closure([ABSENT]))
    const message = expect.stringMatching(/^a Nix store ended before it answered: path '.*-absent' is not valid$/)
    await expect(asking).rejects.toMatchObject({ code: 'nix-store-ended', message })
  })
})

test('a machine without Nix is reported', async () => {
  const serving = withLocalServe({ PATH: '/nowhere' }, async () => {})
  await expect(serving).rejects.toMatchObject({ code: 'nix-not-found', exitStatus: 69 })
})

const GREETING: readonly RequestPart[] = [0x54_52_ee_cb, 0x2_07]
const PATH = `/nix/store/${'1'.repeat(32)}-a` as StorePath
const HUGE = Number.MAX_SAFE_INTEGER

/** Client of a store that gives fixed answers to any requests, and then ends or stays silent. */
async function answeredBy(parts: readonly RequestPart[], end: 'ends' | 'stays' = 'ends'): Promise<ServeClient> {
  const stdout = new PassThrough()
  stdout.write(encodeRequest(parts))
  if (end === 'ends') stdout.end()
  const stdin = new PassThrough().resume()
  return openServe({ stdin, stdout, lastWords: async () => '\u001b[31;1merror:\u001b[0m the roof is on fire\n' })
}

test.each([
  ['not-a-nix-store', [...Buffer.from('Welcome! ')]],
  ['not-a-nix-store', ['Welcome to this machine, it is a pleasure']],
  ['nix-too-old', [0x54_52_ee_cb, 0x2_04]],
  ['nix-too-old', [0x54_52_ee_cb, 0x3_00]],
  ['nix-store-ended', []],
])('openServe() fails with %s', async (code, parts) => {
  await expect(answeredBy(parts)).rejects.toMatchObject({ code })
})

test.each<readonly [string, (client: ServeClient) => Promise<unknown>, readonly RequestPart[]]>([
  ['more paths than asked for', (client) => client.validPaths([PATH]), [2]],
  ['a list without end', (client) => client.closure([PATH]), [HUGE]],
  ['a text without end', (client) => client.closure([PATH]), [1, HUGE]],
  ['a path longer than any', (client) => client.closure([PATH]), [1, 5000]],
  ['a number beyond all bounds', (client) => client.closure([PATH]), [2 ** 60]],
  ['a path that nobody asked for', (client) => client.validPaths([PATH]), [[ABSENT]]],
  ['what is not a path', (client) => client.closure([PATH]), [['/nix/store/../etc/passwd']]],
  ['information that nobody asked for', (client) => client.pathInfos([PATH]), [ABSENT]],
  ['too many references', (client) => client.pathInfos([PATH]), [PATH, '', HUGE]],
  ['a hash of another kind', (client) => client.pathInfos([PATH]), [PATH, '', [], 0, 1, 'md5:0', '', []]],
])('%s is refused', async (_, ask, answer) => {
  const client = await answeredBy([...GREETING, ...answer], 'stays')
  const code = expect.stringMatching(/^bad-nix-answer$/)
  await expect(ask(client)).rejects.toMatchObject({ code })
  await expect(client.validPaths([])).rejects.toMatchObject({ code })
})

test('an answer that is cut off fails all that wait, with the last words of the store', async () => {
  const client = await answeredBy([...GREETING, 1])
  const info = { path: PATH, narSize: 100, references: [], narHash: '', contentAddress: '', signatures: [] }
  const waiting = [client.closure([PATH]), client.validPaths([PATH]), buffer(client.dump(info)), client.closure([])]
  const outcomes = await Promise.allSettled(waiting)
  const messages = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason.message) : 'fine'))
  expect(new Set(messages)).toStrictEqual(new Set(['a Nix store ended before it answered: the roof is on fire']))
})

test('a long archive needs no more memory than what is under way', async () => {
  const size = 2 ** 30
  const read = { chunks: 0 }
  const stdout = new PassThrough()
  stdout.write(encodeRequest(GREETING))
  const slow = new PassThrough()
  const to = await openServe({ stdin: slow, stdout })
  const info: PathInfo = {
    path: PATH,
    narSize: size,
    references: [],
    narHash: 'sha256:',
    contentAddress: '',
    signatures: [],
  }
  const adding = to.add(info, endless(read))
  adding.catch(() => {})
  await once(slow, 'readable')
  expect(read.chunks).toBeLessThan(50)
  to.close()
  await expect(adding).rejects.toMatchObject({ code: 'interrupted' })
})

async function* endless(read: { chunks: number }): AsyncGenerator<Uint8Array> {
  for (;;) {
    read.chunks += 1
    yield new Uint8Array(65_536)
  }
}

async function* piecesOf(archive: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < archive.length; start += 50) yield archive.subarray(start, start + 50)
}

function serveProcess(env: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams {
  const child = spawn('nix-store', ['--serve', '--write'], { env })
  onTestFinished(() => void child.kill())
  return child
}
