import { readFileSync } from 'node:fs'

import type { ProfileName, StorePath } from '@davit/documents'
import type { Disk, MachineCondition } from '@davit/target'
import { describe, expect, test } from 'vitest'

import { type Check, isWrong, SEVERITIES } from '../src/check.ts'
import { clockCheck } from '../src/coordinator/clock-checks.ts'
import { keyChecks } from '../src/coordinator/ssh-checks.ts'
import { isolationCheck, LEAST_NODE, nodeChecks } from '../src/coordinator/version-checks.ts'
import { clockChecks } from '../src/machine/clock-checks.ts'
import { diskChecks } from '../src/machine/disk-checks.ts'
import { lockChecks } from '../src/machine/lock-checks.ts'
import { alteredChecks } from '../src/machine/package-checks.ts'
import { profileChecks } from '../src/machine/profile-checks.ts'
import { restartChecks } from '../src/machine/restart-checks.ts'
import { isolationThere } from '../src/machine/isolation-there.ts'
import { systemChecks } from '../src/machine/system-checks.ts'
import { listed } from '../src/words.ts'

/** A line for each check: how bad it is, and how it is. */
const linesOf = (checks: readonly Check[]) => checks.map(({ severity, text }) => `${severity}: ${text}`)
const remediesOf = (checks: readonly Check[]) => checks.flatMap(({ remedy }) => remedy ?? [])

const GB = 1e9
const space = (left: number, total: number) => ({ left, total })
const disk = (path: string, left: number, more: Partial<Disk> = {}): Disk => ({
  path,
  device: 'a',
  bytes: space(left, 100 * GB),
  files: space(1e6, 2e6),
  ...more,
})

describe('diskChecks()', () => {
  test.each<readonly [string, readonly Disk[], readonly string[]]>([
    ['a disk once', [disk('/a', 50 * GB), disk('/b', 50 * GB)], ['ok: 50 GB of 100 GB free for /a, /b']],
    [
      'each disk',
      [disk('/a', 50 * GB), disk('/b', 50 * GB, { device: 'b' })],
      ['ok: 50 GB of 100 GB free for /a', 'ok: 50 GB of 100 GB free for /b'],
    ],
    [
      'little space',
      [disk('/a', 4 * GB)],
      ['warning: little space is left for /a: 4 GB of 100 GB and 1000000 of 2000000 files'],
    ],
    ['a small disk that is not full', [disk('/a', GB, { bytes: space(GB, 4 * GB) })], ['ok: 1 GB of 4 GB free for /a']],
    [
      'a large disk with enough space',
      [disk('/a', 40 * GB, { bytes: space(40 * GB, 9e12) })],
      ['ok: 40 GB of 9000 GB free for /a'],
    ],
    ['no space', [disk('/a', 0, { files: undefined })], ['error: no space is left for /a: 0 B of 100 GB']],
    [
      'no files',
      [disk('/a', 50 * GB, { files: space(3, 1e6) })],
      ['error: no room for more files is left for /a: 50 GB of 100 GB and 3 of 1000000 files'],
    ],
    [
      'few files',
      [disk('/a', 50 * GB, { files: space(2000, 1e6) })],
      ['warning: little space is left for /a: 50 GB of 100 GB and 2000 of 1000000 files'],
    ],
    [
      'each file system of a device',
      [disk('/a', 50 * GB), disk('/b', 40 * GB, { bytes: space(40 * GB, 90 * GB) })],
      ['ok: 50 GB of 100 GB free for /a', 'ok: 40 GB of 90 GB free for /b'],
    ],
    [
      'as little space as must be',
      [disk('/a', 50e6, { files: undefined }), disk('/b', 50e6 - 1, { device: 'b', files: undefined })],
      ['warning: little space is left for /a: 50 MB of 100 GB', 'error: no space is left for /b: 50 MB of 100 GB'],
    ],
    [
      'as few files as must be',
      [disk('/a', 50 * GB, { files: space(100, 1e6) }), disk('/b', 50 * GB, { device: 'b', files: space(99, 1e6) })],
      [
        'warning: little space is left for /a: 50 GB of 100 GB and 100 of 1000000 files',
        'error: no room for more files is left for /b: 50 GB of 100 GB and 99 of 1000000 files',
      ],
    ],
    [
      'nothing of a part that is small, but enough',
      [disk('/a', 10 * GB, { bytes: space(10 * GB, 9e12), files: space(100_000, 9e9) })],
      ['ok: 10 GB of 9000 GB free for /a'],
    ],
    ['nothing of an unknown one', [disk('/a', 0, { bytes: undefined })], []],
  ])('tells %s', (_, disks, lines) => {
    expect(linesOf(diskChecks(disks))).toEqual(lines)
  })
})

describe('clockChecks()', () => {
  const at = (seconds: number) => new Date(1_000_000_000_000 + seconds * 1000)
  const check = (asked: number, answered: number, clock: number) =>
    clockChecks({ asked: at(asked), answered: at(answered), clock: at(clock) })[0]

  test.each([
    [0, 0.2, 0],
    [0, 60, 30],
    [0, 60, 60],
    [0.9, 1.1, -4],
  ])('asked at %d, answered at %d: %d is right', (asked, answered, clock) => {
    expect(check(asked, answered, clock)?.severity).toBe('ok')
  })

  test.each([
    [0, 0, 5, 'the clock is 5 seconds ahead of that of the coordinator'],
    [10, 10, 2, 'the clock is 8 seconds behind that of the coordinator'],
    [0, 60, 360, 'the clock is 5 minutes ahead of that of the coordinator'],
    [0, 0, -90_000, 'the clock is 25 hours behind that of the coordinator'],
    [0, 0, 863_999, 'the clock is 9 days ahead of that of the coordinator'],
  ])('asked at %d, answered at %d: %d is wrong', (asked, answered, clock, text) => {
    expect(check(asked, answered, clock)).toMatchObject({ severity: 'warning', text })
  })
})

const NOTHING: MachineCondition = {
  clock: new Date(0),
  account: 'eve',
  versions: new Map([
    ['shell', 'dash'],
    ['kernel', 'Linux 6.1'],
  ]),
  starter: 'cron',
  disks: [],
  unwritable: [],
  open: undefined,
  locks: [],
  trials: [],
  unreached: [],
  broken: [],
  rubbish: [],
  givenUp: 0,
}

describe('systemChecks()', () => {
  const checks = (condition: Partial<MachineCondition>, more: object = {}) =>
    systemChecks({
      facts: { compressors: ['gzip'], system: 'x86_64-linux', stateDirectory: '/state' } as never,
      condition: { ...NOTHING, ...condition },
      store: { kind: 'native', directory: '/store', ...more },
    })

  test('tells versions and the account', () => {
    expect(linesOf(checks({}))).toEqual(['ok: Linux 6.1, dash, x86_64-linux', "ok: 'eve' keeps the state in /state"])
  })

  test('tells if processes end when davit logs out', () => {
    const fleeting = { ending: 'session', account: 'eve', unit: 'session-3.scope' }
    const facts = { compressors: ['gzip'], system: 'x86_64-linux', stateDirectory: '/state', fleeting } as never
    const found = systemChecks({ facts, condition: NOTHING, store: { kind: 'native', directory: '/store' } })
    expect(linesOf(found)).toContain(
      "error: systemd-logind ends what 'eve' has started there when davit logs out (KillUserProcesses)",
    )
  })

  test('tells if snapshots are not compressed', () => {
    const facts = { compressors: [], system: 'x86_64-linux', stateDirectory: '/state' } as never
    const store = { kind: 'native', directory: '/store' } as const
    expect(linesOf(systemChecks({ facts, condition: NOTHING, store }))).toContain(
      'note: neither zstd nor gzip is installed',
    )
  })

  test('tells what cannot be written, with the command that allows it', () => {
    const unwritable = [
      { path: '/state', existing: '/state' },
      { path: "/it's", existing: '/' },
      { path: '/store', existing: '/store' },
    ]
    const found = checks({ unwritable, open: '/state' })
    expect(linesOf(found).slice(2)).toEqual([
      "error: 'eve' may not write to '/state'",
      "error: 'eve' may not write to '/'",
      "error: 'eve' may not write to '/store'",
      "error: others may change '/state', with davit's state",
    ])
    expect(remediesOf(found)).toEqual([
      'as root there: chown eve /state',
      "as root there: install -d -o eve '/it'\\''s'",
      'as root there: chown eve /store',
      'as root there: chown eve /state; chmod go-w /state',
    ])
  })

  test('knows that only Nix writes to its store, and that Nix is needed for it', () => {
    const unwritable = [{ path: '/nix/store', existing: '/nix/store' }]
    const nix = { kind: 'nix', directory: '/nix/store' } as never
    expect(linesOf(checks({ unwritable }, nix)).filter((line) => !line.startsWith('ok'))).toEqual([
      "error: there is no program 'nix-store', and packages are kept by Nix",
    ])
    const versions = new Map([['nix', 'nix-store (Nix) 2.8']])
    expect(linesOf(checks({ unwritable, versions }, nix))).toContain('ok: nix-store (Nix) 2.8')
  })

  test('tells of rubbish', () => {
    expect(linesOf(checks({ rubbish: [{ store: '/store', count: 2 }] })).at(-1)).toBe(
      "note: '/store' contains 2 paths that a transfer or a build has left half made",
    )
  })
})

describe('lockChecks()', () => {
  const place = { target: 't1', profile: 'shop' } as never
  const here = { bootId: 'boot', host: 'desk', machineId: 'm', namespace: '1', pid: 1, startTime: 1 }
  const owner = (bootId: string) =>
    JSON.stringify({
      user: 'alice',
      host: 'desk',
      machineId: 'm',
      bootId,
      holder: { pid: 7, startTime: 3, namespace: 'elsewhere' },
    })
  const lock = (bootId: string, isOver: boolean) => ({
    ...(place as object),
    holder: { token: 'tk', owner: owner(bootId), since: new Date(0), isOver },
  })
  const checks = (condition: object) => lockChecks({ ...NOTHING, ...condition }, { here } as never)
  const who = "the lock of 'shop' on 't1' is held by alice@desk (process 7) since 1970-01-01 00:00:00 UTC"

  test.each([
    ['whose run works', lock('boot', false), `note: ${who}`, 'davit-lock --status -p shop'],
    [
      'whose lease is over',
      lock('boot', true),
      `warning: ${who}, and nobody works under it any more`,
      'davit-unlock --id tk --deployed -p shop',
    ],
    [
      'of an earlier boot of this machine',
      lock('of-yore', false),
      `warning: ${who}, and nobody works under it any more`,
      'davit-unlock --id tk --deployed -p shop',
    ],
  ])('tells of a lock %s', (_, held, line, remedy) => {
    const found = checks({ locks: [held] })
    expect([linesOf(found), remediesOf(found)]).toEqual([[line], [remedy]])
  })

  test('tells of a lock of which little is known', () => {
    const { holder, ...rest } = lock('boot', true)
    const found = checks({ locks: [{ ...rest, holder: { owner: holder.owner, isOver: true } }] })
    expect([linesOf(found), remediesOf(found)]).toEqual([
      [`warning: ${who.replace(/ since .*/, '')}, and nobody works under it any more`],
      ['davit-unlock --id TOKEN --deployed -p shop'],
    ])
  })

  test.each([{ target: 't2' }, { profile: 'other' }])('a run works only where it has the lock, not on %j', (other) => {
    const unreached = [{ ...(place as object), ...other, token: 'tk' }]
    expect(linesOf(checks({ unreached, locks: [lock('boot', false)] }))).toHaveLength(2)
  })

  test('takes a profile that was not reached for one of a run that was cut off, unless a run works there', () => {
    const unreached = [{ ...(place as object), token: 'tk' }]
    expect(linesOf(checks({ unreached }))).toEqual([
      "warning: a run was about to give 't1' another profile of 'shop', and did not",
    ])
    expect(linesOf(checks({ unreached, locks: [lock('boot', false)] }))).toEqual([`note: ${who}`])
    expect(linesOf(checks({ unreached, locks: [lock('boot', true)] }))).toHaveLength(2)
  })

  test('tells of trials', () => {
    expect(linesOf(checks({ trials: [place] }))).toEqual(["note: changes to 'shop' on 't1' are not confirmed yet"])
  })
})

const TERMS = { profile: 'default', generation: 2 } as never

test('profileChecks() tells of profiles that are gone, and of records that were given up', () => {
  const broken = [{ target: 't1', profile: 'default', path: '/store/x' }] as never
  expect(linesOf(profileChecks({ ...NOTHING, broken, givenUp: 1 }, TERMS))).toEqual([
    "error: the current profile of 'default' on 't1' is gone: /store/x",
    'note: 1 record of services that nobody could stop was given up',
  ])
  expect(profileChecks(NOTHING, TERMS)).toEqual([])
})

test('profileChecks() names what brings a profile back, whether its path is known or not', () => {
  const broken = [
    { target: 't1', profile: 'default', path: '' },
    { target: 't1', profile: 'shop', path: '/store/x' },
  ] as never
  const found = profileChecks({ ...NOTHING, broken, givenUp: 2 }, TERMS)
  expect(linesOf(found)).toEqual([
    "error: the current profile of 'default' on 't1' is gone",
    "error: the current profile of 'shop' on 't1' is gone: /store/x",
    'note: 2 records of services that nobody could stop were given up',
  ])
  expect(remediesOf(found).slice(0, 2)).toEqual(['davit-env --switch-to-generation 2', 'davit-doctor -p shop'])
  expect(remediesOf(profileChecks({ ...NOTHING, broken }, { profile: 'shop' } as never))[1]).toBe(
    'davit-env -p shop, with the models',
  )
})

test.each([
  [5, 'a1, a2, a3, a4, a5'],
  [6, 'a1, a2, a3, a4, a5 and 1 more'],
])('of %i names five are listed, each once', (count, text) => {
  const names = Array.from({ length: count }, (_, at) => `a${at + 1}`)
  expect(listed([...names, ...names])).toBe(text)
})

test('errors and warnings have to be dealt with', () => {
  expect(SEVERITIES.filter((severity) => isWrong({ topic: 'disk', severity, text: '' }))).toEqual(['warning', 'error'])
})

test('restartChecks() tells what goes on after a restart', () => {
  expect(linesOf(restartChecks(NOTHING))).toEqual(['ok: cron would go on with unconfirmed changes after a restart'])
  expect(linesOf(restartChecks({ ...NOTHING, starter: 'none' }))).toEqual([
    'note: nothing starts programs of this account after a restart',
  ])
})

describe('keyChecks()', () => {
  const remote = new Map([
    [
      't1',
      { clientInterface: 'disnix-ssh-client', properties: new Map([['hostname', 'h']]), targetProperty: 'hostname' },
    ],
  ]) as never
  const local = new Map([
    ['t1', { clientInterface: 'local', properties: new Map(), targetProperty: 'hostname' }],
  ]) as never
  const behindClient = new Map([
    ['t1', { clientInterface: '/opt/client', properties: new Map([['hostname', 'h']]), targetProperty: 'hostname' }],
  ]) as never
  const keys = { agent: undefined, keyFiles: [] as readonly string[], exposed: [] as readonly string[], problems: [] }

  test.each([
    [{ ...keys, keyFiles: ['/k'] }, remote, ['ok: /k']],
    [{ ...keys, agent: { socket: '/s', keys: 2 }, keyFiles: ['/k'] }, remote, ['ok: 2 keys in the agent, /k']],
    [keys, remote, ['warning: there is no private key, and no agent with one']],
    [keys, new Map(), ['note: there is no private key, and no agent with one']],
    [
      { ...keys, agent: { socket: '/s', keys: 0 } },
      remote,
      ['warning: there is no private key, and no agent with one'],
    ],
    // They need none.
    [keys, local, []],
    [keys, behindClient, []],
    [{ ...keys, problems: ["cannot reach the agent at '/s'"] }, local, ["note: cannot reach the agent at '/s'"]],
    [
      { ...keys, keyFiles: ['/k'], exposed: ['/k'], problems: ["cannot reach the agent at '/s'"] },
      remote,
      ['ok: /k', 'warning: other accounts may read the private key /k', "note: cannot reach the agent at '/s'"],
    ],
  ])('tells which keys there are: %#', (credentials, infrastructure, lines) => {
    expect(linesOf(keyChecks(credentials, { infrastructure }))).toEqual(lines)
  })
})

describe('nodeChecks()', () => {
  test.each([
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
    ['20.18.9', 'error'],
    ['18.20.0', 'error'],
  ])('of Node.js %s: %s', (version, severity) => {
    expect(nodeChecks({ version: '1' } as never, version).map((check) => check.severity)).toEqual([severity])
  })

  test('needs what package.json needs', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
      readonly engines: { readonly node: string }
    }
    expect(engines.node).toBe(`>=${LEAST_NODE.join('.')}`)
  })
})

test.each([
  ['bubblewrap', 'ok'],
  ['namespaces', 'note'],
  ['none', 'warning'],
] as const)('isolation by %s: %s', (kind, severity) => {
  expect(isolationCheck({ kind, program: '/usr/bin/x' }).severity).toBe(severity)
})

test('isolation reports the account of builds, here and on targets', () => {
  const bubblewrap = { kind: 'bubblewrap', program: '/usr/bin/bwrap' } as const
  expect(isolationCheck(bubblewrap).text).toMatch(/run as the account that starts them$/)
  expect(isolationCheck({ ...bubblewrap, account: 'direct' }).text).toMatch(/run as an account that nobody has$/)
  const there = (account: string, ...versions: readonly [string, string][]) =>
    linesOf(isolationThere({ account, versions: new Map(versions) }, { kind: 'native', directory: '/s' }))
  const version = ['bubblewrap', 'bubblewrap 0.8.0'] as const
  expect(there('root', [...version])).toEqual([
    'ok: bubblewrap 0.8.0, to isolate builds, which run as an account that nobody has',
  ])
  expect(there('ann', [...version])).toEqual(["ok: bubblewrap 0.8.0, to isolate builds, which run as 'ann'"])
  expect(there('ann')).toEqual(['note: bubblewrap (bwrap) is not installed'])
  expect(isolationThere({ account: 'ann', versions: new Map() }, { kind: 'nix', directory: '/nix/store' })).toEqual([])
})

test.each([
  ['yes', ['ok: the clock is synchronised']],
  ['no', ['warning: the clock is not synchronised']],
  ['', []],
])('a clock that is synchronised: %j', (answer, lines) => {
  expect(linesOf(clockCheck(answer))).toEqual(lines)
})

describe('alteredChecks()', () => {
  const terms = {
    profile: 'default' as ProfileName,
    store: { kind: 'native', directory: '/store' } as const,
  }
  const NOTHING = { altered: [], marked: [], aside: 0, unchecked: 0 }
  const altered = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `/store/${index}-web` as StorePath, what: "'log' was added" }))

  test('finds nothing where nothing was written', () => {
    expect(linesOf(alteredChecks(NOTHING, terms))).toEqual(['ok: nothing was written into the packages in /store'])
  })

  test('names what was written, and how it is mended', () => {
    const checks = alteredChecks({ ...NOTHING, altered: altered(1) }, terms)
    expect(linesOf(checks)).toEqual(["warning: '/store/0-web' is not what it was when it was made: 'log' was added"])
    expect(remediesOf(checks)[0]).toMatch(/^davit-env --repair, with the models; .* stateDirectory/)
  })

  test('names ten, and counts the others', () => {
    const lines = linesOf(alteredChecks({ ...NOTHING, altered: altered(12) }, terms))
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('warning: 2 other packages in /store are not what they were either')
  })

  test('names what waits to be made again, and counts what was set aside or not looked at', () => {
    const rest = { marked: ['/store/1-web' as StorePath], aside: 2, unchecked: 3 }
    expect(linesOf(alteredChecks({ ...NOTHING, ...rest }, terms)).slice(1)).toEqual([
      "warning: '/store/1-web' was altered, and waits to be made or sent again",
      "note: '/store/.davit/set-aside' has 2 packages as they were altered",
      'note: 3 packages could not be looked at within 20 seconds',
    ])
  })
})
