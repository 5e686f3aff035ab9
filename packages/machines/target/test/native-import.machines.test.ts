import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'

import type { PackageRequest, ServiceName, System } from '@davit/documents'
import { removeTree } from '@davit/files'
import { encodeRegistration, openNativeStore, type StoreLayout, storeLayout } from '@davit/store'
import { receiverScript } from '@davit/target-runtime'
import { shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { type ArchiveToImport, importArchive as importProtected, missingNames } from '../src/native/import.ts'
import { type Machine, openMachine } from '../src/target.ts'

const system = 'x86_64-linux' as System
const signal = new AbortController().signal

const importArchive = (
  machine: Machine<'carry'>,
  layout: StoreLayout,
  sent: Omit<ArchiveToImport, 'protect' | 'needs'>,
) => importProtected(machine, layout, { protect: [], needs: [], ...sent })

describe.each(installedShells())('on a machine with $name', (shell) => {
  let directory: string
  let machine: Machine<'carry'>

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'davit-import-'))
    const connection = shellConnection(shell, join(directory, 'state'))
    machine = await openMachine(async () => connection, { role: 'carry' })
  })
  afterEach(() => {
    machine.close()
    removeTree(directory)
  })

  const layoutOfTarget = () => storeLayout(join(directory, 'target-store'))

  /** A store with a package that is a file, one that is a directory, and one that is a link. */
  async function packages() {
    const tree = join(directory, 'tree')
    mkdirSync(join(tree, 'd'.repeat(150), 'e'.repeat(150)), { recursive: true })
    writeFileSync(join(tree, 'd'.repeat(150), 'e'.repeat(150), 'deep'), 'deep\n')
    writeFileSync(join(tree, 'program'), '#!/bin/sh\n', { mode: 0o755 })
    symlinkSync('program', join(tree, 'link'))
    writeFileSync(join(directory, 'file'), 'x'.repeat(100_000))
    const store = await openNativeStore({ directory: join(directory, 'store'), environment: { PATH: '/usr/bin:/bin' } })
    const requests = ['tree', 'file'].map((name): PackageRequest => ({
      spec: { kind: 'source', path: join(directory, name) },
      system,
      wantedBy: { service: name as ServiceName },
    }))
    const paths = (await store.instantiate(requests)).map(({ outPath }) => outPath)
    return { store, paths, names: paths.map((path) => basename(path)) }
  }

  test('importArchive() makes paths valid that were missing', async () => {
    const { store, paths, names } = await packages()
    expect(await missingNames(machine, layoutOfTarget(), { names })).toEqual(names)
    await importArchive(machine, layoutOfTarget(), {
      archive: store.export(paths),
      names,
      signal,
    })
    expect(await missingNames(machine, layoutOfTarget(), { names })).toEqual([])
    const tree = join(layoutOfTarget().directory, names[0] ?? '')
    expect(readFileSync(join(tree, 'd'.repeat(150), 'e'.repeat(150), 'deep'), 'utf8')).toBe('deep\n')
    expect(statSync(join(tree, 'link')).mode & 0o777).toBe(0o555)
    expect(statSync(tree).mode & 0o777).toBe(0o555)
    const registration = join(layoutOfTarget().registrations, `${names[0]}.json`)
    expect(readFileSync(registration, 'utf8')).toBe(encodeRegistration((await store.registrations(paths))[0]!))
    expect(readdirSync(layoutOfTarget().incoming)).toEqual([])
  })

  test('importArchive() removes files of an interrupted transfer, but not of one that is under way', async () => {
    const { store, paths, names } = await packages()
    const { incoming, directory: target } = layoutOfTarget()
    for (const [name, owner] of [
      ['dead', '999999:1:gone'],
      ['alive', ownerOf(process.pid)],
    ] as const) {
      mkdirSync(join(incoming, name, 'paths', 'rubbish'), { recursive: true })
      chmodSync(join(incoming, name, 'paths', 'rubbish'), 0o500)
      symlinkSync(owner, join(incoming, `${name}.lock`))
    }
    mkdirSync(join(incoming, 'of-the-coordinator'))
    mkdirSync(join(incoming, 'transfer.discarded-as-it-began/paths'), { recursive: true })
    mkdirSync(join(target, names[0] ?? '', 'rubbish'), { recursive: true })
    await importArchive(machine, layoutOfTarget(), { archive: store.export(paths), names, signal })
    expect(existsSync(join(target, names[0] ?? '', 'rubbish'))).toBe(false)
    expect(readdirSync(incoming).toSorted()).toEqual(['alive', 'alive.lock', 'of-the-coordinator'])
  })

  test.runIf(shell.inDepth)('importArchive() works for two transfers of the same paths at a time', async () => {
    const { store, paths, names } = await packages()
    const other = await openMachine(async () => shellConnection(shell, join(directory, 'state')), { role: 'carry' })
    await Promise.all(
      [machine, other].map((one) =>
        importArchive(one, layoutOfTarget(), { archive: store.export(paths), names, signal }),
      ),
    )
    other.close()
    expect(readdirSync(layoutOfTarget().incoming)).toEqual([])
    expect(readdirSync(layoutOfTarget().directory).toSorted()).toEqual(['.davit', ...names].toSorted())
  })

  // busybox uses its own mv.
  test.runIf(shell.inDepth && shell.name !== 'busybox')(
    'importArchive() takes back everything if a path cannot be moved',
    async () => {
      const { store, paths, names } = await packages()
      const shims = join(directory, 'shims')
      mkdirSync(shims)
      const mv = `#!/bin/sh\n/bin/mv "$1" "$3" && echo "mv: cannot move '$2': No space left on device" >&2\nexit 1\n`
      writeFileSync(join(shims, 'mv'), mv, { mode: 0o755 })
      const full = shellConnection({ ...shell, path: `${shims}:${shell.path}` }, join(directory, 'state'))
      const other = await openMachine(async () => full, { role: 'carry' })
      const importing = importArchive(other, layoutOfTarget(), { archive: store.export(paths), names, signal })
      await expect(importing).rejects.toMatchObject({
        code: 'cannot-create',
        message: expect.stringContaining(`mv: cannot move '${names[1]}': No space left on device`),
        hint: expect.stringContaining('free some space'),
      })
      other.close()
      expect(await missingNames(machine, layoutOfTarget(), { names })).toEqual(names)
      expect([...readdirSync(layoutOfTarget().directory), ...readdirSync(layoutOfTarget().incoming)]).toEqual([
        '.davit',
      ])
    },
  )

  // busybox uses its own tee.
  test.runIf(shell.inDepth && shell.name !== 'busybox')(
    'a receiver whose directory is removed as it begins ends',
    async () => {
      const [shims, begun, go] = ['shims', 'begun', 'go'].map((name) => join(directory, name)) as [
        string,
        string,
        string,
      ]
      const { incoming } = layoutOfTarget()
      mkdirSync(shims)
      const tee = `#!/bin/sh\n: >'${begun}'\nuntil [ -e '${go}' ]; do sleep 0.01; done\nexec /usr/bin/tee "$@"\n`
      writeFileSync(join(shims, 'tee'), tee, { mode: 0o755 })
      const slow = shellConnection({ ...shell, path: `${shims}:${shell.path}` }, join(directory, 'state'))
      const place = { incoming, name: 'transfer.removed', owner: ownerOf(process.pid) }
      const receiver = await slow.run(receiverScript(place, 'cksum'))
      await until(() => expect(existsSync(begun)).toBe(true))
      removeTree(join(incoming, place.name))
      writeFileSync(go, '')
      receiver.stdin.end('not an archive')
      await receiver.exit
    },
  )

  test.runIf(shell.inDepth)('importArchive() stops on abort, and leaves nothing', async () => {
    const { names } = await packages()
    const stop = new AbortController()
    const endless = new Readable({ read() {} })
    endless.push(Buffer.alloc(10_000))
    const importing = importArchive(machine, layoutOfTarget(), { archive: endless, names, signal: stop.signal })
    await until(() => expect(readdirSync(layoutOfTarget().incoming)).toHaveLength(2))
    stop.abort(new Error('enough'))
    await expect(importing).rejects.toThrow('enough')
    expect(readdirSync(layoutOfTarget().incoming)).toEqual([])
  })

  test.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['is no archive', () => Buffer.from('rubbish'.repeat(10_000))],
  ])('importArchive() registers nothing when the stream %s', async (_, damage) => {
    const { store, paths, names } = await packages()
    const bytes = damage(Buffer.concat(await store.export(paths).toArray()))
    const importing = importArchive(machine, layoutOfTarget(), {
      archive: Readable.from([bytes]),
      names,
      signal,
    })
    await expect(importing).rejects.toMatchObject({ code: expect.stringMatching(/import-failed|incomplete-archive/) })
    expect(await missingNames(machine, layoutOfTarget(), { names })).toHaveLength(2)
    expect(readdirSync(layoutOfTarget().incoming)).toEqual([])
  })
})

/** Returns the owner of a claim as `runtime/claim.sh` writes it. */
function ownerOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return `${pid}:${startTime}:${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
}
