import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { ARCHITECTURES } from '../src/architectures.ts'
import {
  bubblewrapped,
  CANDIDATES,
  filesOfView,
  launch,
  limitsIn,
  pathsIn,
  systemCallFilter,
  visibleHere,
} from '../src/isolation.ts'

const VIEW = {
  visible: [{ path: '/usr' }, { path: '/lib', link: 'usr/lib' }, { path: '/etc/resolv.conf' }],
  network: false,
  mounts: [
    { from: '/w/tmp', to: '/tmp', writable: true },
    { from: '/w/in', to: '/in' },
  ],
  directory: '/tmp',
  environment: { A: 'b c' },
}

test('bubblewrapped() shows what is listed, and nothing else, read-only but for what is writable', () => {
  const words = bubblewrapped({ program: '/b' }, VIEW).join(' ')
  expect(words).toBe(
    '/b --die-with-parent --new-session --unshare-all --uid 1000 --gid 1000 --cap-drop ALL --hostname davit-build --seccomp 9 ' +
      '--ro-bind /usr /usr --symlink usr/lib /lib --dev /dev --proc /proc --bind /w/tmp /tmp --ro-bind /w/in /in ' +
      '--remount-ro /dev --remount-ro / --setenv A b c --chdir /tmp --',
  )
  const withNetwork = bubblewrapped({ program: '/b' }, { ...VIEW, network: true }).join(' ')
  expect(withNetwork).toContain('--share-net')
  expect(withNetwork).toContain('--ro-bind /etc/resolv.conf /etc/resolv.conf')
})

test('a view has no path that may hold secrets', () => {
  const secret =
    /^\/(home|root|run|srv|var|opt|mnt|media|tmp|proc|dev|sys|boot)|shadow|private|passwd|ssh|npmrc|gitconfig|docker|^\/etc$/
  expect(CANDIDATES.filter((path) => secret.test(path))).toEqual([])
  expect(visibleHere([]).map(({ path }) => path)).toContain('/usr')
  expect([...filesOfView(false).keys()]).toEqual(['passwd', 'group', 'nsswitch.conf', 'hosts'])
  expect(filesOfView(true).has('hosts')).toBe(false)
})

/** Runs a filter of system calls as the kernel does. */
function judge(filter: Buffer, call: Call): number {
  const { audit, number, first, second } = { first: 0, second: 0, ...call }
  const fields: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: first, 24: second }
  let accumulator = 0
  for (let at = 0; ; at += 8) {
    const [code, skip, value] = [filter.readUInt16LE(at), filter.readUInt8(at + 3), filter.readUInt32LE(at + 4)]
    if (code === 0x06) return value
    const compare = COMPARISONS[code]
    if (compare !== undefined) at += compare(accumulator, value) ? 0 : skip * 8
    else if (code === 0x20) accumulator = Number(fields[value])
    else accumulator = (accumulator & value) >>> 0
  }
}

type Comparison = (accumulator: number, value: number) => boolean

const COMPARISONS: Readonly<Partial<Record<number, Comparison>>> = {
  0x15: (accumulator, value) => accumulator === value,
  0x35: (accumulator, value) => accumulator >= value,
  0x45: (accumulator, value) => (accumulator & value) !== 0,
}

interface Call {
  readonly audit: number
  readonly number: number
  readonly first?: number
  readonly second?: number
}

const ALLOW = 0x7fff_0000
const refused = (errno: number) => 0x5_0000 + errno
const NEWUSER = 0x1000_0000

test.each(Object.keys(ARCHITECTURES))('systemCallFilter() refuses what leads out of a view on %s', (name) => {
  const { audit, socket, socketpair, clone, unshare, refused: calls, opaque } = ARCHITECTURES[name]!
  const [alone, shared] = [systemCallFilter({ network: false }), systemCallFilter({ network: true })]
  const both = (number: number, first = 0, second = 0) =>
    [alone, shared].map((filter) => judge(filter, { audit, number, first, second }))
  for (const number of calls) expect(both(number)).toEqual([refused(1), refused(1)])
  for (const number of [...opaque, 425, 435]) expect(both(number)).toEqual([refused(38), refused(38)])
  for (const number of [clone, unshare]) {
    expect(both(number, NEWUSER | 0x11)).toEqual([refused(1), refused(1)])
    expect(both(number, 0x11)).toEqual([ALLOW, ALLOW])
  }
  for (const family of [2, 10, 16]) expect(both(socket, family)).toEqual([ALLOW, ALLOW])
  expect(both(socket, 1)).toEqual([ALLOW, refused(97)])
  for (const family of [17, 38, 40]) expect(both(socket, family)).toEqual([refused(97), refused(97)])
  for (const type of [1, 5, 0x80801]) expect(both(socketpair, 1, type)).toEqual([ALLOW, ALLOW])
  for (const type of [2, 3, 0x80802]) expect(both(socketpair, 1, type)).toEqual([ALLOW, refused(1)])
  expect(both(3)).toEqual([ALLOW, ALLOW])
})

// As the headers of the kernel have them: socket, keyctl, unshare, mount, and socketcall where there is one.
test.each([
  ['x86_64', 0xc000_003e, 41, 250, 272, 165, 425],
  ['i386', 0x4000_0003, 359, 288, 310, 21, 102],
  ['aarch64', 0xc000_00b7, 198, 219, 97, 40, 435],
  ['arm', 0x4000_0028, 281, 311, 337, 21, 102],
  ['ppc64le', 0xc000_0015, 326, 271, 282, 21, 102],
] as const)('systemCallFilter() knows the numbers of %s', (_, audit, socket, keyctl, unshare, mount, opaque) => {
  const filter = systemCallFilter({ network: true })
  const answers = [
    [socket, 1],
    [keyctl, 0],
    [unshare, NEWUSER],
    [mount, 0],
    [opaque, 1],
  ] as const
  expect(answers.map(([number, first]) => judge(filter, { audit, number, first }))).toEqual(
    [97, 1, 1, 1, 38].map(refused),
  )
})

test('systemCallFilter() ends programs of an unknown architecture, and knows no x32', () => {
  const filter = systemCallFilter({ network: false })
  expect(judge(filter, { audit: 0x8000_0016, number: 3 })).toBe(0x8000_0000)
  expect(judge(filter, { audit: 0xc000_003e, number: 0x4000_0029, first: 1 })).toBe(refused(38))
})

test('limitsIn() reads what the operator allows', () => {
  expect(limitsIn({})).toEqual({ processes: 4096 })
  expect(limitsIn({ DAVIT_MEMORY_LIMIT: '2 GB', DAVIT_PROCESS_LIMIT: '99' })).toEqual({
    processes: 99,
    memoryBytes: 2e9,
  })
  for (const [name, text] of [
    ['DAVIT_MEMORY_LIMIT', 'much'],
    ['DAVIT_PROCESS_LIMIT', '1'],
    ['DAVIT_PROCESS_LIMIT', '-5'],
  ] as const) {
    expect(() => limitsIn({ [name]: text })).toThrow(`variable '${name}' cannot be '${text}'`)
  }
})

test('launch() binds, becomes another account, and looks nothing up in the command', () => {
  const words = launch({
    limits: { processes: 5, memoryBytes: 2048, fileBlocks: 7 },
    filter: '/f',
    bound: '/s',
    account: 9,
    command: ['x', 'y'],
  })
  expect(words.slice(0, 5)).toEqual(['unshare', '-m', '--', '/bin/sh', '-c'])
  expect(words.slice(6).join(' ')).toBe('davit-launch /f 2 5 7 /s setpriv --reuid 9 --regid 9 --clear-groups -- x y')
  expect(launch({ limits: { processes: 5 }, command: ['x'] }).slice(3)).toEqual([
    'davit-launch',
    '',
    '',
    '5',
    '',
    '',
    'x',
  ])
})

test('pathsIn() refuses paths that contain what builds may not read', () => {
  const directory = scratchDirectory()
  mkdirSync(join(directory, 'home/tools'), { recursive: true })
  symlinkSync(directory, join(directory, 'link'))
  const kept = [join(directory, 'home'), undefined, '']
  const read = (paths: string) => pathsIn({ DAVIT_BUILD_PATHS: paths }, kept)
  expect(pathsIn({}, kept)).toEqual([])
  expect(read(`/opt/node::${directory}/home/tools`)).toEqual(['/opt/node', `${directory}/home/tools`])
  for (const path of [
    '/',
    '/etc',
    '/home',
    '/root',
    '/var',
    '/var/lib',
    '/run',
    '/tmp',
    directory,
    `${directory}/home`,
    `${directory}/link`,
  ]) {
    expect(() => read(path)).toThrow(/cannot have '.*': it contains/)
  }
  for (const path of ['opt', '/opt/', '/opt/../etc', '/opt\n/x'])
    expect(() => read(path)).toThrow('is not a plain absolute path')
})
