import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sampleOf } from '@davit/testing/effort'
import { shellsWithUtilities } from '@davit/testing/shells'
import { type TarBlock, tarOf } from '@davit/testing/tar-blocks'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'

import { copySnapshot, listSnapshots } from '../src/target.ts'
import { Keeper, treeOf } from './keeper.ts'
import { closeScenes } from './scene.ts'

afterAll(closeScenes)

const { signal } = new AbortController()
const SHELLS = shellsWithUtilities()
const KEPT = 'nobody touches this'
/** Owners are of interest only where root restores. */
const OWNER = process.getuid?.() === 0 ? 'root:root' : '-'

const sumOf = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const file = (path: string, content: string, mode = '81a4') =>
  `${sumOf(content)} ${mode} ${content.length} ${OWNER}/./${path}`
const directory = (path: string, mode = '41ed') => `- ${mode} - ${OWNER}/./${path}`
const link = (path: string, to: string) => `${to.replaceAll('/', '\\057')} a1ff ${to.length} ${OWNER}/./${path}`

/** Writes a snapshot as a target might that wants to do harm; its checksums fit. Returns its name. */
function forge(
  keeper: Keeper,
  lines: readonly string[],
  archives: readonly (readonly TarBlock[])[],
  kind = '',
): string {
  const listing = ['davit snapshot 1', ...lines, ''].join('\n')
  const name = sumOf(listing)
  const place = join(keeper.snapshots, 'snapshots/process/web', name)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'listing'), listing)
  for (const [index, blocks] of archives.entries()) {
    const archive = tarOf(...blocks)
    writeFileSync(join(place, `00${index + 1}-${kind}${sumOf(archive)}.tar`), archive)
  }
  refer(keeper, name)
  return name
}

function refer(keeper: Keeper, name: string): void {
  const generations = join(keeper.snapshots, 'generations/process/web')
  mkdirSync(generations, { recursive: true })
  symlinkSync(`../../../snapshots/process/web/${name}`, join(generations, '1'))
}

const STATE: TarBlock = { name: './state', type: '5', mode: 0o755 }
const named = (name: string, content = 'x'): TarBlock => ({ name, type: '0', content })
const linked = (name: string, linkname: string): TarBlock => ({ name, type: '2', linkname })

describe.each(SHELLS)('a hostile target, on a machine with $name', (shell) => {
  const some = <Case>(cases: readonly Case[], kind = '') =>
    shell.inDepth ? (kind === '' ? cases : sampleOf(cases, 6)) : sampleOf(cases, 4)
  let outside: string

  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'davit-outside-'))
    chmodSync(outside, 0o711)
    writeFileSync(join(outside, 'kept'), KEPT)
  })
  afterEach(() => rmSync(outside, { recursive: true }))

  function expectNothingOutside() {
    expect(treeOf(outside)).toEqual([`/kept false false ${KEPT}`])
    expect(lstatSync(outside).mode.toString(8)).toBe('40711')
    expect(lstatSync(join(outside, 'kept')).nlink).toBe(1)
    expect(lstatSync(join(outside, 'kept')).mode.toString(8)).toBe('100644')
  }

  type Forgery = (outside: string) => { lines: readonly string[]; archives: readonly (readonly TarBlock[])[] }

  describe.each(['', 'sparse-'])('that took a %ssnapshot', (kind) => {
    test.each<readonly [string, Forgery]>(
      some<readonly [string, Forgery]>(
        [
          [
            'writes nothing above',
            () => ({ lines: [directory('state')], archives: [[named('../../x'), named('./state/../../../x')]] }),
          ],
          ['writes nothing anywhere', (to) => ({ lines: [directory('state')], archives: [[named(`${to}/x`)]] })],
          [
            'writes nothing through a link',
            (to) => ({
              lines: [directory('state'), directory('state/way'), file('state/way/x', 'x')],
              archives: [[STATE, linked('./state/way', to), named('./state/way/x')]],
            }),
          ],
          [
            'writes nothing through a link of another archive',
            (to) => ({
              lines: [directory('state'), directory('state/way'), file('state/way/x', 'x')],
              archives: [
                [STATE, linked('./state/way', to)],
                [named('./state/way/x'), named('./state/way/kept')],
              ],
            }),
          ],
          [
            'changes no mode through a link that is listed as a file as well',
            (to) => ({
              lines: [directory('state'), link('state/way', `${to}/kept`), file('state/way', KEPT, '81b6')],
              archives: [[STATE, linked('./state/way', `${to}/kept`)]],
            }),
          ],
          [
            'changes no mode through a link that is listed as a directory as well',
            (to) => ({
              lines: [directory('state'), link('state/way', `${to}/kept`), directory('state/way', '45ed')],
              archives: [[STATE, linked('./state/way', `${to}/kept`)]],
            }),
          ],
          [
            'changes no mode through a link in the place of a file',
            (to) => ({
              lines: [directory('state'), file('state/way', KEPT, '81b6')],
              archives: [[STATE, linked('./state/way', `${to}/kept`)]],
            }),
          ],
          [
            'writes nothing through a link that is listed',
            (to) => ({
              lines: [directory('state'), link('state/way', to)],
              archives: [
                [STATE, linked('./state/way', to)],
                [named('./state/way/x'), named('./state/way/kept')],
              ],
            }),
          ],
          [
            'writes nothing through a chain of links',
            (to) => ({
              lines: [directory('state'), link('state/a', to), link('state/b', 'a')],
              archives: [[STATE, linked('./state/b', 'a')], [linked('./state/a', to)], [named('./state/b/x')]],
            }),
          ],
          [
            'makes no link to a file through a link',
            (to) => ({
              lines: [directory('state'), file('state/x', KEPT), link('state/way', to)],
              archives: [
                [STATE, linked('./state/way', to)],
                [{ name: './state/x', type: '1', linkname: './state/way/kept' }],
              ],
            }),
          ],
          [
            'makes no link to a file anywhere',
            (to) => ({
              lines: [directory('state'), file('state/x', KEPT)],
              archives: [[STATE, { name: './state/x', type: '1', linkname: `${to}/kept` }]],
            }),
          ],
          [
            'changes no mode of what it links to',
            (to) => ({ lines: [directory('state', '41ff')], archives: [[linked('./state', to)]] }),
          ],
          [
            'changes no mode above',
            () => ({ lines: [directory('..', '41ff'), directory('.', '41ff')], archives: [[STATE]] }),
          ],
          [
            'lists nothing above',
            () => ({
              lines: [directory('state'), file('state/../../x', 'x')],
              archives: [[STATE, named('./state/x')]],
            }),
          ],
          [
            'lists nothing below a link',
            (to) => ({
              lines: [directory('state'), link('state/way', to), file('state/way/kept', KEPT)],
              archives: [[STATE, linked('./state/way', to)]],
            }),
          ],
          [
            'names no owner that is an option',
            (to) => ({ lines: [`- 41ed - --reference=x/./state`, link('to', to)], archives: [[STATE]] }),
          ],
          [
            'removes nothing by a name with a line break',
            () => ({ lines: [directory('state')], archives: [[STATE, named('./state/a\n../kept')]] }),
          ],
          [
            'sends no device and no pipe',
            () => ({
              lines: [directory('state'), file('state/x', '')],
              archives: [[STATE, { name: './state/x', type: '3' }, { name: './state/y', type: '6' }]],
            }),
          ],
          [
            'sends no file twice with other content',
            () => ({
              lines: [directory('state'), file('state/x', 'x')],
              archives: [[STATE, named('./state/x'), named('./state/x', 'y')]],
            }),
          ],
        ],
        kind,
      ),
    )('%s', async (_, forgery) => {
      const keeper = await Keeper.open(shell)
      writeFileSync(keeper.path('rows'), 'rows')
      const { lines, archives } = forgery(outside)
      forge(keeper, lines, archives, kind)
      const incoming = join(keeper.snapshots, 'incoming')
      mkdirSync(incoming)
      writeFileSync(join(incoming, 'kept'), '')
      const above = readdirSync(keeper.snapshots)
      const result = await keeper.perform('restore')
      expectNothingOutside()
      expect(readdirSync(incoming)).toEqual(['kept'])
      const own = [...above, 'damaged', 'restored']
      expect(readdirSync(keeper.snapshots).filter((name) => !own.includes(name))).toEqual([])
      // What tar leaves out may make an archive good.
      const isRestored = result.kind === 'succeeded'
      expect(existsSync(keeper.path('rows'))).toBe(!isRestored)
      expect(isRestored || result.kind === 'failed' ? readdirSync(keeper.data) : []).not.toContain('x')
    })

    test('sends no file with another mode than the listing has', async () => {
      const keeper = await Keeper.open(shell)
      forge(
        keeper,
        [directory('state'), file('state/x', 'x')],
        [[STATE, { ...named('./state/x'), mode: 0o4777 }]],
        kind,
      )
      expect(await keeper.perform('restore')).toEqual({ kind: 'succeeded' })
      expect(lstatSync(keeper.path('x')).mode.toString(8)).toBe('100644')
    })

    test('restores no rights for whoever runs a file, which older versions have listed', async () => {
      const keeper = await Keeper.open(shell)
      const lines = [
        directory('state', '4fed'),
        ...['89ed', '85ed', '83ed', '8fed'].map((mode) => file(`state/${mode}`, 'x', mode)),
      ]
      const modes = { '89ed': 0o4755, '85ed': 0o2755, '83ed': 0o1755, '8fed': 0o7755 }
      const files = Object.entries(modes).map(([name, mode]): TarBlock => ({ ...named(`./state/${name}`), mode }))
      forge(keeper, lines.toSorted(), [[{ ...STATE, mode: 0o7755 }, ...files]])
      expect(await keeper.perform('restore')).toEqual({ kind: 'succeeded' })
      expect(readdirSync(keeper.data).map((name) => lstatSync(keeper.path(name)).mode.toString(8))).toEqual(
        Array(4).fill('100755'),
      )
      expect(lstatSync(keeper.data).mode.toString(8)).toBe('43755')
    })

    test('may have links to anywhere in the state itself', async () => {
      const keeper = await Keeper.open(shell)
      const lines = [directory('state'), link('state/way', outside)]
      forge(keeper, lines, [[STATE, linked('./state/way', outside)]])
      expect(await keeper.perform('restore')).toEqual({ kind: 'succeeded' })
      expect(treeOf(keeper.data)).toEqual([`/way true false ${outside}`])
      expectNothingOutside()
    })
  })

  type Stream = (outside: string, honest: { listing: Buffer; archive: string; data: Buffer }) => Buffer

  describe('that sends one', () => {
    test.each<readonly [string, Stream]>(
      some<readonly [string, Stream]>([
        [
          'writes nothing above',
          (_, { listing }) => tarOf(named('../x'), named('./../../x'), text('./listing', listing)),
        ],
        ['writes nothing anywhere', (to) => tarOf(named(`${to}/x`))],
        ['writes nothing through a link', (to) => tarOf(linked('./way', to), named('./way/x'), named('./way/kept'))],
        [
          'writes nothing in place of its directory',
          (to) => tarOf(linked('.', to), linked('./payload', to), named('./payload/x')),
        ],
        [
          'sends no links',
          (to, { archive, data }) => tarOf(linked('./listing', `${to}/kept`), text(`./${archive}`, data)),
        ],
        [
          'sends no link without end',
          (_, { listing, archive }) => tarOf(text('./listing', listing), linked(`./${archive}`, '/dev/zero')),
        ],
        [
          'sends no pipe',
          (_, { listing, archive }) => tarOf(text('./listing', listing), { name: `./${archive}`, type: '6' }),
        ],
        [
          'sends no device',
          (_, { listing, archive }) => tarOf(text('./listing', listing), { name: `./${archive}`, type: '3' }),
        ],
        [
          'sends no link to a file',
          (to, { listing, archive }) =>
            tarOf(text('./listing', listing), { name: `./${archive}`, type: '1', linkname: `${to}/kept` }),
        ],
        [
          'sends nothing twice with other content',
          (_, { listing, archive, data }) =>
            tarOf(text('./listing', listing), text(`./${archive}`, data), text(`./${archive}`, Buffer.from('other'))),
        ],
        [
          'sends no other listing',
          (_, { listing, archive, data }) =>
            tarOf(text('./listing', Buffer.from(`${listing.toString()}x\n`)), text(`./${archive}`, data)),
        ],
        ['sends nothing else', () => tarOf(named('./else'))],
        [
          'sends no part',
          (_, { listing, archive, data }) =>
            tarOf(text('./listing', listing), text(`./${archive}`, data)).subarray(0, 1600),
        ],
        [
          'sends no altered one',
          (_, { listing, archive, data }) =>
            tarOf(text('./listing', listing), text(`./${archive}`, Buffer.from(data).fill(1, 0, 9))),
        ],
        ['sends nothing at all', () => Buffer.alloc(0)],
      ]),
    )('%s', async (_, streamOf) => {
      const { here, there, snapshot, honest, stream } = await pair()
      stream(streamOf(outside, honest))
      await expect(copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })).rejects.toMatchObject({
        name: 'DavitError',
        message: expect.stringMatching(/snapshot/),
      })
      expectNothingOutside()
      expect(await there.names()).toEqual([])
      expect(readdirSync(join(there.snapshots, 'incoming'))).toEqual([])
      expect(readdirSync(there.snapshots).toSorted()).toEqual(
        ['activated', 'incoming', 'mutex'].filter((name) => existsSync(join(there.snapshots, name))),
      )
      stream(undefined)
      await copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })
      expect(await there.names()).toEqual([snapshot.name])
    })

    test('leaves no file that runs as somebody else, or that others can read', async () => {
      const { here, there, snapshot, honest, stream } = await pair()
      const { listing, archive, data } = honest
      stream(tarOf({ ...text('./listing', listing), mode: 0o6777 }, { ...text(`./${archive}`, data), mode: 0o6777 }))
      await copySnapshot(here.store, [{ store: there.store }], { snapshot, signal })
      const place = join(there.snapshots, 'snapshots/process/web', snapshot.name)
      const modes = readdirSync(place).map((name) => lstatSync(join(place, name)).mode & 0o6077)
      expect(modes).toEqual([0, 0])
      expect(await there.perform('restore')).toEqual({ kind: 'succeeded' })
      expect(readFileSync(there.path('file'), 'utf8')).toBe('content')
    })

    const text = (name: string, data: Buffer): TarBlock => ({ name, type: '0', content: data.toString('latin1') })

    /** A machine with a snapshot, whose streams can be replaced, and another one, which has nothing. */
    async function pair() {
      const sending = await (sender ??= openSender())
      sending.stream(undefined)
      return { ...sending, there: await Keeper.open(shell) }
    }

    let sender: ReturnType<typeof openSender> | undefined
    const tools = mkdtempSync(join(tmpdir(), 'davit-tools-'))
    afterAll(() => rmSync(tools, { recursive: true }))

    async function openSender() {
      // Busybox would not run another tar.
      const [sending = shell] = SHELLS
      const tar = `#!/bin/sh\ncase " $* " in *" -cf "*) [ ! -e '${tools}/stream' ] || { cat '${tools}/stream'; exit; } ;; esac\n`
      writeFileSync(join(tools, 'tar'), `${tar}PATH='${sending.path}'\nexec tar "$@"\n`, { mode: 0o755 })
      const here = await Keeper.open(sending, { environment: { PATH: `${tools}:${sending.path}` } })
      writeFileSync(here.path('file'), 'content')
      await here.perform('snapshot', { compressor: 'none' })
      const [snapshot] = await listSnapshots(here.store)
      if (snapshot === undefined) throw new Error('there is no snapshot')
      const place = join(here.snapshots, 'snapshots/process/web', snapshot.name)
      const archive = readdirSync(place).find((name) => name.includes('.tar')) ?? ''
      const honest = {
        listing: readFileSync(join(place, 'listing')),
        archive,
        data: readFileSync(join(place, archive)),
      }
      const stream = (data: Buffer | undefined) => {
        if (data === undefined) rmSync(join(tools, 'stream'), { force: true })
        else writeFileSync(join(tools, 'stream'), data)
      }
      return { here, snapshot, honest, stream }
    }
  })
})
