import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { AS_NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { shellsWithUtilities } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { copySnapshot, findSnapshot, listSnapshots } from '../src/target.ts'
import { Keeper } from './keeper.ts'
import { closeScenes } from './scene.ts'

afterAll(closeScenes)

const { signal } = new AbortController()
const SUCCEEDED = { kind: 'succeeded' }
const AS_ROOT = process.getuid?.() === 0

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8)

/** Returns what others than the owner may use below a directory. */
function openBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => !lstatSync(path).isSymbolicLink() && (lstatSync(path).mode & 0o077) !== 0)
}

/** Returns a program that runs another one with a umask that takes no right away. */
function withoutUmask(): string {
  const within = join(scratchDirectory(), 'within')
  writeFileSync(within, '#!/bin/sh\numask 000; exec "$@"\n', { mode: 0o755 })
  return within
}

/** Keeps the present data as the only snapshot, as a module of Dysnomia does. */
async function keepLikeDysnomia(keeper: Keeper): Promise<void> {
  const place = join(keeper.snapshots, 'snapshots/process/web/theirs')
  const generations = join(keeper.snapshots, 'generations/process/web')
  for (const path of [join(place, '..'), generations]) mkdirSync(path, { recursive: true })
  await keeper.scene.connection.run(`cp -R -p '${keeper.data}' '${place}'`).then(({ exit }) => exit)
  symlinkSync('../../../snapshots/process/web/theirs', join(generations, '1'))
}

/** A log may be complete later than its activity. */
const expectLog = async ({ scene }: Keeper, activity: string, expected: RegExp) => {
  const log = `state/targets/t1/log/default/process:key.${activity}`
  await until(() => expect(scene.read(log)).toMatch(expected))
}

describe.each(shellsWithUtilities())('a snapshot on a machine with $name', (shell) => {
  /** What gives rights to whoever runs it, and a directory that a group shares. */
  function fill(keeper: Keeper): void {
    mkdirSync(keeper.path('shared'))
    for (const name of ['user', 'group', 'both', 'sticky', 'plain', 'shared/user'])
      writeFileSync(keeper.path(name), name)
    const modes = {
      user: 0o4755,
      group: 0o2711,
      both: 0o6555,
      sticky: 0o1644,
      plain: 0o640,
      shared: 0o2775,
      'shared/user': 0o4711,
    }
    for (const [name, mode] of Object.entries(modes)) chmodSync(keeper.path(name), mode)
  }
  const modesIn = (keeper: Keeper) =>
    readdirSync(keeper.data, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => `${name} ${modeOf(keeper.path(name))}`)
  const HARMLESS = ['both 555', 'group 711', 'plain 640', 'shared 2775', 'shared/user 711', 'sticky 644', 'user 755']

  test('has no rights for whoever runs its files, wherever it is restored, and its name does not depend on them', async () => {
    const [here, there] = [await Keeper.open(shell), await Keeper.open(shell)]
    fill(here)
    expect(await here.perform('snapshot')).toEqual(SUCCEEDED)
    await expectLog(here, 'snapshot', /set-user-ID, set-group-ID and sticky are not kept: \S+ \S+ \S+/)
    const snapshot = await findSnapshot(here.store, here.component)
    await copySnapshot(here.store, [{ store: there.store }], { snapshot: snapshot!, signal })
    for (const keeper of [here, there]) {
      expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
      expect(modesIn(keeper)).toEqual(HARMLESS)
      expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
      expect(await keeper.names()).toEqual([snapshot?.name])
    }
    await expectLog(there, 'restore', /set-user-ID, set-group-ID and sticky are not restored: \S+ \S+ \S+/)
  })

  test('of Dysnomia has none either', async () => {
    const keeper = await Keeper.open(shell)
    keeper.scene.module(`[ "$1" != restore ] || { rm -rf "$D/data" && cp -R -p "$DAVIT_SNAPSHOT" "$D/data"; }`)
    fill(keeper)
    await keepLikeDysnomia(keeper)
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(modesIn(keeper)).toEqual(HARMLESS)
  })

  test('is seen by nobody else while its module works', async () => {
    const keeper = await Keeper.open(shell, { within: withoutUmask() })
    const script = `echo "$1 $(stat -c %a "$DAVIT_SNAPSHOT" "$DAVIT_SNAPSHOT/..")" >>"$D/modes"
case $1 in
  snapshot) umask 0; echo x >"$DAVIT_SNAPSHOT/x" ;;
esac`
    keeper.scene.module(script)
    expect(await keeper.perform('snapshot')).toEqual(SUCCEEDED)
    expect(await keeper.perform('restore')).toEqual(SUCCEEDED)
    expect(keeper.scene.read('modes')).toBe('snapshot 700\n700\nrestore 700\n700\n')
    const place = keeper.scene.path('state/targets/t1')
    expect(readdirSync(join(place, 'busy'))).toEqual(['process:web'])
    // The test has made the others.
    const open = openBelow(place).filter((path) => path !== keeper.snapshots && !path.includes('/activated'))
    expect(open).toEqual([])
  })

  test.each(['davit', 'Dysnomia'])(
    'of %s is private where it is received, whatever umask and modes are',
    async (whose) => {
      const [here, there] = [await Keeper.open(shell), await Keeper.open(shell, { within: withoutUmask() })]
      fill(here)
      if (whose === 'davit') await here.perform('snapshot')
      else await keepLikeDysnomia(here)
      await copySnapshot(here.store, [{ store: there.store }], {
        snapshot: (await findSnapshot(here.store, here.component))!,
        signal,
      })
      expect(await there.names()).toHaveLength(1)
      // The test has made the mark.
      const open = openBelow(there.snapshots).filter((path) => !path.includes('/activated'))
      expect(open).toEqual([])
    },
  )

  test.runIf(AS_ROOT)('of Dysnomia is read by the account that its container names, and by nobody else', async () => {
    const keeper = await Keeper.open(shell)
    chmodSync(keeper.scene.directory, 0o711)
    for (const part of ['', '/targets', '/targets/t1']) chmodSync(keeper.scene.path(`state${part}`), 0o755)
    const daemon = 'setpriv --reuid=1 --regid=1 --clear-groups'
    keeper.scene.module(`[ "$1" = restore ] || exit 0
PATH=/usr/bin:/bin
for file in "$DYSNOMIA_STATEDIR"/snapshots/*/*/*/dump; do
  for who in '${AS_NOBODY.join(' ')}' '${daemon}'; do
    $who cat "$file" >>"$D/seen" 2>/dev/null || echo "no" >>"$D/seen"
    $who sh -c 'rm -f "$1"; ln -s /etc/shadow "$1"' sh "$file" 2>/dev/null
    $who sh -c 'mv "$1" "$1.gone"' sh "\${file%/*}" 2>/dev/null
  done
  echo "$(stat -c '%a %U' "$file" "\${file%/*}" "$DYSNOMIA_STATEDIR")" >>"$D/seen"
done`)
    const place = join(keeper.snapshots, 'snapshots/process/web/theirs')
    const generations = join(keeper.snapshots, 'generations/process/web')
    for (const path of [place, generations]) mkdirSync(path, { recursive: true })
    writeFileSync(join(place, 'dump'), 'rows\n', { mode: 0o644 })
    symlinkSync('../../../snapshots/process/web/theirs', join(generations, '1'))
    const restore = async (...properties: readonly (readonly [string, string])[]) => {
      const { definition } = keeper.request('restore')
      keeper.scene.write('seen')
      const result = await keeper.perform('restore', { definition: { ...definition, properties: new Map(properties) } })
      expect(readdirSync(keeper.scene.path('state/targets/t1/restoring'))).toEqual([])
      return result.kind === 'succeeded' ? keeper.scene.read('seen') : result
    }
    expect(await restore()).toBe('no\nno\n644 root\n755 root\n700 root\n')
    const READ = 'no\nrows\n400 daemon\n755 root\n710 root\n'
    expect(await restore(['snapshotReader', 'daemon'])).toBe(READ)
    expect(await restore(['postgresqlUsername', 'daemon'])).toBe(READ)
    expect(await restore(['influxdbUsername', 'root'])).toBe('no\nno\n644 root\n755 root\n700 root\n')
    expect(await restore(['postgresqlUsername', 'nobody'], ['snapshotReader', 'daemon'])).toBe(READ)
    for (const name of ['nobody-has-it', '--reference=x', 'a b']) {
      expect(await restore(['snapshotReader', name])).toMatchObject({
        kind: 'failed',
        log: expect.stringContaining(`there is no account '${name}' here`),
      })
    }
  })

  test.each(['..', '.', 'a/b', '../x', '/etc', '-x'])('has no such name as %j', async (name) => {
    const keeper = await Keeper.open(shell)
    await keeper.perform('snapshot')
    const { machine, component: place } = keeper
    const fields = ['targets/t1', place.container, place.component] as const
    const requests = [
      ['snapshot_files', [...fields, name]],
      ['snapshot_missing', [...fields, name]],
      ['snapshot_commit', ['targets/t1', 'transfer', place.container, place.component, name, 'files']],
      ['snapshots', ['targets/t1', place.container, name]],
      ['state_marks', ['t1', place.container, name]],
      ['clean_snapshots', ['targets/t1', '0', place.container, name]],
      ['snapshot_discard', ['targets/t1', name]],
    ] as const
    for (const request of requests) {
      // One after the other: the helper does one thing at a time.
      // oxlint-disable-next-line no-await-in-loop
      await expect(machine.request(...(request as never))).rejects.toMatchObject({ code: 'bad-request' })
    }
    expect(await keeper.perform('restore', { snapshot: name })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(`invalid name '${name}'`),
    })
    expect((await listSnapshots(keeper.store)).length).toBe(1)
  })
})
