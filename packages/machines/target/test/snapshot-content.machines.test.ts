import { spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Shell, shellsWithUtilities } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { copySnapshot, findSnapshot } from '../src/target.ts'
import { Keeper } from './keeper.ts'
import { closeScenes } from './scene.ts'

afterAll(closeScenes)

const directory = mkdtempSync(join(tmpdir(), 'davit-content-'))
afterAll(() => rmSync(directory, { recursive: true }))

const { signal } = new AbortController()
const SUCCEEDED = { kind: 'succeeded' }
const SHELLS = shellsWithUtilities()
const PRIVATE = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0

/** A machine whose accounts are root and these. */
async function machineWith(shell: Shell, accounts: Readonly<Record<string, number>>): Promise<Keeper> {
  const own = mkdtempSync(join(directory, 'etc-'))
  const lines = Object.entries({ root: 0, ...accounts })
  writeFileSync(join(own, 'passwd'), lines.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/false\n`).join(''))
  writeFileSync(join(own, 'group'), lines.map(([name, id]) => `${name}:x:${id}:\n`).join(''))
  const mounts = ['passwd', 'group'].map((file) => `mount --bind '${own}/${file}' /etc/${file}`).join(' && ')
  const within = join(own, 'within')
  writeFileSync(
    within,
    `#!/bin/sh\nPATH=/usr/bin:/bin:$PATH exec unshare --mount sh -c '${mounts.replaceAll(`'`, '')} && exec "$@"' sh "$@"\n`,
    {
      mode: 0o755,
    },
  )
  return Keeper.open(shell, { within })
}

/** Gives the module rules for its snapshots. */
function rule(keeper: Keeper, ...rules: readonly string[]): void {
  const lines = ['at state .', ...rules].map((line) => `echo '${line}'`).join('; ')
  keeper.scene.module(`case $1 in
  snapshot) ln -s "$D/data" "$DAVIT_SNAPSHOT/state"; { ${lines}; } >"$DAVIT_SNAPSHOT.rules" ;;
  restore) rm -rf "$D/data" && mv "$DAVIT_SNAPSHOT/state" "$D/data" ;;
esac`)
}

/** Makes a snapshot here, brings it there, and restores it. */
async function move(here: Keeper, there: Keeper) {
  expect(await here.perform('snapshot', { compressor: 'gzip' })).toEqual(SUCCEEDED)
  return bring(here, there)
}

/** Brings the latest snapshot there, and restores it. */
async function bring(here: Keeper, there: Keeper) {
  const snapshot = await findSnapshot(here.store, here.component)
  await copySnapshot(here.store, [{ store: there.store }], { snapshot: snapshot!, signal })
  return there.perform('restore')
}

const ownerOf = (path: string) => {
  const { uid, gid } = lstatSync(path)
  return `${uid}:${gid}`
}
const logOf = ({ scene }: Keeper, activity: string) =>
  scene.read(`state/targets/t1/log/default/process:key.${activity}`)
const expectLog = (keeper: Keeper, activity: string, expected: RegExp) =>
  until(() => expect(logOf(keeper, activity)).toMatch(expected))
async function titleOf(keeper: Keeper): Promise<string> {
  const name = (await keeper.names()).at(-1) ?? ''
  return readFileSync(join(keeper.snapshots, 'snapshots/process/web', name, 'listing'), 'utf8').split('\n')[0] ?? ''
}

describe.each(SHELLS)('a snapshot taken under $name', (shell) => {
  describe.runIf(PRIVATE)('of files of several accounts', () => {
    async function filled(accounts: Readonly<Record<string, number>>, id: number): Promise<Keeper> {
      const keeper = await machineWith(shell, accounts)
      mkdirSync(keeper.path('own'))
      writeFileSync(keeper.path('own/rows'), 'rows', { mode: 0o600 })
      writeFileSync(keeper.path('roots'), 'rows')
      for (const name of ['own', 'own/rows', '.']) chownSync(keeper.path(name), id, id)
      return keeper
    }
    let taken: Promise<Keeper> | undefined
    /** A machine with a snapshot of files of its account `shop`, which several tests bring elsewhere. */
    async function shop(): Promise<Keeper> {
      const keeper = await filled({ shop: 1501 }, 1501)
      expect(await keeper.perform('snapshot', { compressor: 'gzip' })).toEqual(SUCCEEDED)
      return keeper
    }
    const owners = (keeper: Keeper) => ['own', 'own/rows', '.', 'roots'].map((name) => ownerOf(keeper.path(name)))

    test('goes by name where there is one, and has the same name everywhere', async () => {
      const [here, there] = [await (taken ??= shop()), await machineWith(shell, { shop: 1502, other: 1501 })]
      expect(await bring(here, there)).toEqual(SUCCEEDED)
      expect(owners(there)).toEqual([...Array.from({ length: 3 }, () => '1502:1502'), '0:0'])
      expect(await titleOf(here)).toBe('davit snapshot 1')
      expect(await there.perform('snapshot')).toEqual(SUCCEEDED)
      expect(await there.names()).toEqual(await here.names())
    })

    test('goes by number where there is no name, and says whose that is', async () => {
      const [here, there] = [await filled({}, 1777), await machineWith(shell, { other: 1777 })]
      expect(await move(here, there)).toEqual(SUCCEEDED)
      expect(owners(there)).toEqual([...Array.from({ length: 3 }, () => '1777:1777'), '0:0'])
      expect(await titleOf(here)).toBe('davit snapshot 2')
      await expectLog(there, 'restore', /which have names here: passwd 1777 \('other'\) group 1777 \('other'\)\n/)
    })

    test('goes by number if the module wants it, but for accounts that it names', async () => {
      const here = await filled({ polkitd: 999, shop: 1501 }, 999)
      chownSync(here.path('roots'), 1501, 999)
      rule(here, 'owners numbers', 'user shop')
      const there = await machineWith(shell, { polkitd: 997, shop: 1502 })
      expect(await move(here, there)).toEqual(SUCCEEDED)
      expect(owners(there)).toEqual([...Array.from({ length: 3 }, () => '999:999'), '1502:999'])
    })

    test('is refused, by name, where an account is missing', async () => {
      const [here, there] = [await (taken ??= shop()), await machineWith(shell, { other: 1501 })]
      writeFileSync(there.path('kept'), '')
      expect(await bring(here, there)).toMatchObject({
        kind: 'failed',
        log: expect.stringContaining("accounts that are missing here: passwd 'shop' group 'shop'; make them first"),
      })
      expect(readdirSync(there.data)).toEqual(['kept'])
    })

    test('is unpacked when the module has made the accounts of its files', async () => {
      const [here, there] = [await (taken ??= shop()), await machineWith(shell, { other: 1501 })]
      there.scene.module(
        `case $1 in
  accounts) echo 'shop:x:1600:1600::/:/bin/false' >>/etc/passwd; echo 'shop:x:1600:' >>/etc/group ;;
  restore) rm -rf "$D/data" && mv "$DAVIT_SNAPSHOT/state" "$D/data" ;;
esac`,
        ['accounts', 'restore'],
      )
      expect(await bring(here, there)).toEqual(SUCCEEDED)
      expect(ownerOf(there.path('own/rows'))).toBe('1600:1600')
      expect(readdirSync(join(there.snapshots, 'incoming'))).toEqual([])
    })

    test('has the owners that its listing has, whatever its archive says', async () => {
      const here = await (taken ??= shop())
      const there = await machineWith(shell, { shop: 1600, more: 1501 })
      expect(await bring(here, there)).toEqual(SUCCEEDED)
      expect(ownerOf(there.path('own/rows'))).toBe('1600:1600')
      expect(await there.perform('restore')).toEqual(SUCCEEDED)
      expect(ownerOf(there.path('own/rows'))).toBe('1600:1600')
    })
  })

  test('leaves out what patterns say, and names it', async () => {
    const keeper = await Keeper.open(shell)
    rule(keeper, 'exclude *.log', 'exclude cache/*', 'exclude **/tmp', 'exclude a/b?/c*e')
    const files = [
      'x.log',
      'rows',
      'cache/1',
      'cache/2/3',
      'deep/tmp/1',
      'tmp/2',
      'deep/x.log',
      'a/bb/cde',
      'a/bb/cd',
      'a/b/ce',
    ]
    for (const name of files) {
      mkdirSync(join(keeper.path(name), '..'), { recursive: true })
      writeFileSync(keeper.path(name), name)
    }
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    await expectLog(keeper, 'snapshot', /left out, since snapshotExclude says so: \S+ \S+ \S+ and 3 more\n/)
    rmSync(keeper.data, { recursive: true })
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    const kept = ['a', 'a/b', 'a/b/ce', 'a/bb', 'a/bb/cd', 'cache', 'deep', 'deep/x.log', 'rows']
    expect(readdirSync(keeper.data, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(kept)
  })

  test('costs no more for patterns that can match in many ways', async () => {
    const keeper = await Keeper.open(shell)
    rule(keeper, `exclude **/${'a*'.repeat(60)}b`)
    for (let index = 0; index < 20; index++) writeFileSync(keeper.path(`${'a'.repeat(240)}${index}`), '')
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    expect(logOf(keeper, 'snapshot')).not.toContain('left out')
  })

  test('has names of any bytes and lengths, and files of any number of names', async () => {
    const keeper = await Keeper.open(shell)
    const long = 'n'.repeat(200)
    mkdirSync(keeper.path(`${long}/${long}/empty`), { recursive: true })
    writeFileSync(keeper.path(`${long}/${long}/${long}`), 'deep')
    for (const name of [Buffer.from([0x6e, 0xe4]), Buffer.from(' -x\'\\"*?[\t')])
      writeFileSync(Buffer.concat([Buffer.from(`${keeper.data}/`), name]), name)
    linkSync(keeper.path(`${long}/${long}/${long}`), keeper.path('linked'))
    symlinkSync('/nowhere/at all', keeper.path('absolute'))
    symlinkSync('../x', keeper.path('relative'))
    const tree = () =>
      spawnSync(
        'sh',
        ['-c', 'find . | sort; find . -type f -exec cksum {} + | sort; find . -type l -exec readlink {} +'],
        {
          cwd: keeper.data,
          env: { PATH: process.env['PATH'], LC_ALL: 'C' },
          encoding: 'latin1',
        },
      ).stdout
    const before = tree()
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    rmSync(keeper.data, { recursive: true })
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(tree()).toBe(before)
  })

  test('is refused if a name or a link has a line break, which is said', async () => {
    const keeper = await Keeper.open(shell)
    symlinkSync('a\nb', keeper.path('link'))
    expect(await keeper.perform('snapshot')).toMatchObject({
      kind: 'failed',
      log: expect.stringContaining('where a link points to contains a line break'),
    })
  })

  test.runIf(PRIVATE)('names what it cannot have', async () => {
    const keeper = await Keeper.open(shell)
    for (const name of ['list', 'attribute', 'capable', 'fixed'])
      writeFileSync(keeper.path(name), name, { mode: 0o600 })
    const run = (command: string) => spawnSync('sh', ['-c', command], { cwd: keeper.data, encoding: 'utf8' })
    run('mkfifo pipe; chattr +i fixed')
    const made = run(`PATH=$PATH:/usr/sbin setcap cap_net_raw+ep capable && python3 -c '
import os, struct
os.setxattr("attribute", "user.color", b"blue")
entry = lambda tag, rights, who=0xffffffff: struct.pack("<HHI", tag, rights, who)
os.setxattr("list", "system.posix_acl_access", struct.pack("<I", 2) + entry(1, 6) + entry(2, 6, 1000) + entry(4, 4) + entry(16, 6) + entry(32, 0))'`)
    try {
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      await expectLog(keeper, 'snapshot', /sockets, pipes and devices are not kept: state\/pipe\n/)
      if (shell.name === 'busybox' || made.status !== 0) return
      await expectLog(keeper, 'snapshot', /access control lists are not kept: state\/list\n/)
      await expectLog(keeper, 'snapshot', /extended attributes are not kept: state\/attribute\n/)
      await expectLog(keeper, 'snapshot', /capabilities are not kept: state\/capable\n/)
      await expectLog(keeper, 'snapshot', /immutable and append-only flags are not kept: state\/fixed\n/)
    } finally {
      run('chattr -i fixed')
    }
    rmSync(keeper.data, { recursive: true })
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(statSync(keeper.path('list')).mode & 0o777).toBe(0o640)
  })

  describe('while its files change', () => {
    const AFTER_EACH = ['openssl', 'zstd']

    /**
     * A machine on which commands run in the state after each reading: by what computes checksums, or compresses. Neither program is one
     * of busybox, whose shell finds its own utilities first.
     */
    async function changing(commands: string, programs: readonly string[] = AFTER_EACH): Promise<Keeper> {
      const place = mkdtempSync(join(directory, 'programs-'))
      const change = join(place, 'change')
      for (const program of programs) {
        const real = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim()
        writeFileSync(
          join(place, program),
          `#!/bin/sh\nPATH=/usr/bin:/bin\n'${real}' "$@" || exit\n[ ! -f '${change}' ] || . '${change}'\n`,
          { mode: 0o755 },
        )
      }
      const keeper = await Keeper.open({ ...shell, path: `${place}:${shell.path}` })
      writeFileSync(keeper.path('rests'), 'rests')
      writeFileSync(change, `cd '${keeper.data}' || exit\n${commands}\n`)
      changes.push(change)
      return keeper
    }
    const changes: string[] = []
    const restored = async (keeper: Keeper) => {
      for (const change of changes.splice(0)) rmSync(change)
      rmSync(keeper.data, { recursive: true })
      expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    }

    test('has those that only grow as they were when they were read', async () => {
      const keeper = await changing('seq 1000 >>grows')
      writeFileSync(keeper.path('grows'), 'begins\n')
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      await expectLog(
        keeper,
        'snapshot',
        /files changed while they were read, and are kept as they were then: state\/grows\n/,
      )
      const later = readFileSync(keeper.path('grows'), 'utf8')
      await restored(keeper)
      const then = readFileSync(keeper.path('grows'), 'utf8')
      expect(then.length).toBeGreaterThan('begins\n'.length)
      expect(later.length).toBeGreaterThan(then.length)
      expect(later.startsWith(then)).toBe(true)
      expect(readdirSync(keeper.data).length).toBe(2)
    })

    test('has those that are replaced as they were once', async () => {
      // Some come and go, until there have been ten; each time that one is gone when it is read, everything is read again.
      const keeper = await changing(
        'n=$(($(tail -n 1 replaced) + 1)); { seq 500; echo "$n"; } >new; mv new replaced; [ "$n" -ge 10 ] || { rm -f come*; : >"come$n"; }',
      )
      writeFileSync(keeper.path('replaced'), '0\n')
      writeFileSync(keeper.path('come0'), '')
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      await restored(keeper)
      expect(readFileSync(keeper.path('replaced'), 'utf8').split('\n').slice(0, 500)).toEqual(
        Array.from({ length: 500 }, (_, i) => `${i + 1}`),
      )
      expect(readdirSync(keeper.data).toSorted()).toEqual(['come9', 'replaced', 'rests'])
    })

    test('is refused if one changes in place, which is named', async () => {
      // In the shell of busybox, whose `cmp` cannot be replaced, another process changes it all the time.
      const keeper = await changing('date +%N | dd of=torn conv=notrunc 2>/dev/null', [...AFTER_EACH, 'head'])
      writeFileSync(keeper.path('torn'), Buffer.alloc(shell.name === 'busybox' ? 4_000_000 : 20))
      const writer =
        shell.name === 'busybox' &&
        spawn('sh', ['-c', 'while :; do yes "$(date +%N)" | head -c 4000000 | dd of=torn bs=64k conv=notrunc; done'], {
          cwd: keeper.data,
          stdio: 'ignore',
        })
      const result = await keeper.perform('snapshot').finally(() => writer && writer.kill('SIGKILL'))
      expect(result).toMatchObject({
        kind: 'failed',
        log: expect.stringMatching(/'state\/torn' changes while it is read, and does not only grow/),
      })
      expect(await keeper.names()).toEqual([])
    })
  })

  test.each(SHELLS)('has sparse files that $name restores', async (other) => {
    const [here, there] = [await Keeper.open(shell), await Keeper.open(other)]
    const fill = (name: string, tail: string) => {
      const file = openSync(here.path(name), 'w')
      writeSync(file, 'begin')
      ftruncateSync(file, 2_000_000)
      writeSync(file, tail, 2_000_000)
      closeSync(file)
    }
    mkdirSync(here.path('deep'))
    fill('deep/sp arse', 'end')
    writeFileSync(here.path('empty'), '')
    truncateSync(here.path('empty'), 1_500_000)
    writeFileSync(here.path('full'), Buffer.alloc(1_100_000, 'x'))
    expect(await move(here, there)).toEqual(SUCCEEDED)
    for (const name of ['deep/sp arse', 'empty', 'full']) {
      expect(readFileSync(there.path(name)).equals(readFileSync(here.path(name)))).toBe(true)
      expect(statSync(there.path(name)).mode).toBe(statSync(here.path(name)).mode)
    }
    const { blocks } = statSync(there.path('deep/sp arse'))
    if (other.name === 'busybox') await expectLog(there, 'restore', /the holes of sparse files are filled/)
    expect(blocks < 1000).toBe(other.name !== 'busybox')
    // Only what has changed since then is added.
    writeFileSync(here.path('full'), 'y')
    fill('deep/sp arse', 'another end')
    expect(await move(here, there)).toEqual(SUCCEEDED)
    expect(readFileSync(there.path('deep/sp arse')).equals(readFileSync(here.path('deep/sp arse')))).toBe(true)
  })
})
