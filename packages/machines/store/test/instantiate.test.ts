import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { StorePath, System } from '@davit/documents'
import { timeOfContent } from '../src/store.ts'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { build, wantedBy } from './package-specs.ts'
import { failureOf, instantiated, leftovers, temporaryStore, writeTree } from './temporary-store.ts'

const FILES = { 'main.js': 'serve()', 'bin/run': '#!/bin/sh\n', 'sub/link': '->../main.js' }

test('instantiate() names a source by its content, wherever it comes from', async () => {
  const store = await temporaryStore()
  const [first, second] = [writeTree(FILES), writeTree(FILES)]
  utimesSync(join(first, 'main.js'), 1, 2)
  chmodSync(join(first, 'main.js'), 0o600)

  const [one, two] = await instantiated(store, { kind: 'source', path: first }, { kind: 'source', path: second })

  expect(one).toStrictEqual(two)
  expect(basename(one!.outPath)).toMatch(/^[0-9a-df-np-sv-z]{32}-tree$/)
})

test.each<{ change: string; files: Record<string, string> }>([
  { change: 'content', files: { ...FILES, 'main.js': 'other()' } },
  { change: 'a name', files: { 'index.js': 'serve()', 'bin/run': '#!/bin/sh\n', 'sub/link': '->../main.js' } },
  { change: 'a link target', files: { ...FILES, 'sub/link': '->main.js' } },
  { change: 'a kind', files: { ...FILES, 'sub/link': '../main.js' } },
  { change: 'an added file', files: { ...FILES, 'sub/new': '' } },
])('instantiate() notices $change in a source', async ({ files }) => {
  const store = await temporaryStore()
  const [one, two] = await instantiated(
    store,
    { kind: 'source', path: writeTree(FILES) },
    { kind: 'source', path: writeTree(files) },
  )
  expect(one).not.toStrictEqual(two)
})

test('instantiate() notices that a file has become executable', async () => {
  const store = await temporaryStore()
  const tree = writeTree(FILES)
  const [before] = await instantiated(store, { kind: 'source', path: tree })
  chmodSync(join(tree, 'main.js'), 0o755)
  const [after] = await instantiated(store, { kind: 'source', path: tree })
  expect(after).not.toStrictEqual(before)
})

test('instantiate() copies names, contents, links and the executable bit, and nothing else', async () => {
  const store = await temporaryStore()
  const [{ outPath } = { outPath: '' }] = await instantiated(store, {
    kind: 'source',
    path: writeTree(FILES),
    name: 'app',
  })
  const [registration] = await store.registrations([outPath as StorePath])
  const time = timeOfContent(registration!.contentHash)
  const listing = spawnSync('find', [outPath, '-printf', '/%P %y %m %T@ [%l]\\n'], { encoding: 'utf8' }).stdout
  expect(listing.trim().split('\n').toSorted()).toStrictEqual([
    `/ d 555 ${time}.0000000000 []`,
    `/bin d 555 ${time}.0000000000 []`,
    `/bin/run f 555 ${time}.0000000000 []`,
    `/main.js f 444 ${time}.0000000000 []`,
    `/sub d 555 ${time}.0000000000 []`,
    `/sub/link l 777 ${time}.0000000000 [../main.js]`,
  ])
  expect(outPath).toMatch(/-app$/)
  expect(readFileSync(join(outPath, 'sub/link'), 'utf8')).toBe('serve()')
  expect(leftovers(store)).toStrictEqual([])
})

test('instantiate() takes a file, follows a link to it, and finds a valid name for it', async () => {
  const store = await temporaryStore()
  const directory = writeTree({ 'a b': 'text', link: '->a b' })
  const [file, link] = await instantiated(
    store,
    { kind: 'source', path: join(directory, 'a b') },
    { kind: 'source', path: join(directory, 'link'), name: 'a-b' },
  )
  expect(file).toStrictEqual(link)
  expect(lstatSync(file!.outPath).isFile()).toBe(true)
  expect(file!.outPath).toMatch(/-a-b$/)
})

test('instantiate() reports the problems of all packages together, and who needs them', async () => {
  const store = await temporaryStore()
  const odd = writeTree({})
  spawnSync('mkfifo', [join(odd, 'pipe')])
  const absent = join(odd, 'absent')
  const message = await failureOf(
    store.instantiate([
      wantedBy('web', { kind: 'source', path: absent }),
      wantedBy('database', build('database', '', { sources: { app: absent } })),
      wantedBy('odd', { kind: 'source', path: odd }),
      wantedBy('named', build('a/b', '')),
      wantedBy('path', build('path', '', { env: { PATH: '/x' } })),
      wantedBy('twice', build('twice', '', { env: { app: '' }, sources: { app: odd } })),
      wantedBy('shell', build('shell', '', { env: { 'a-b': '' } })),
      wantedBy('long', build('long', '', { env: { text: 'x'.repeat(131_072) } })),
    ]),
  )
  expect(message.split('\n')).toStrictEqual([
    'cannot use 8 packages',
    `service 'web': cannot read the source '${absent}': no such file or directory (paths in models are relative to the file that names them)`,
    `service 'database': cannot read the source '${absent}': no such file or directory (paths in models are relative to the file that names them)`,
    `service 'odd': '${odd}/pipe' is a named pipe (remove it; packages contain only files, directories and symbolic links)`,
    `service 'named': 'a/b' is not a valid package name (names consist of at most 200 letters, digits and +-._?=)`,
    `service 'path': cannot build 'path': the variable 'PATH' is set by davit itself (change this variable in the package)`,
    `service 'twice': cannot build 'twice': 'app' is set more than once in env, sources and inputs (change this variable in the package)`,
    `service 'shell': cannot build 'shell': 'a-b' is not the name of a shell variable (change this variable in the package)`,
    `service 'long': cannot build 'long': the value of 'text' is longer than 131071 bytes (change this variable in the package)`,
  ])
  expect(leftovers(store)).toStrictEqual([])
})

test('instantiate() writes derivations that do not depend on the order of their tables', async () => {
  const store = await temporaryStore()
  const [source] = [writeTree(FILES)]
  const [one, two] = await instantiated(
    store,
    build('web', 'true', { env: { a: '1', b: '2' }, sources: { x: source, y: source } }),
    build('web', 'true', { env: { b: '2', a: '1' }, sources: { y: source, x: source } }),
  )
  expect(one).toStrictEqual(two)
  const text = readFileSync(one!.derivation!, 'utf8')
  expect(JSON.parse(text)).toMatchObject({ document: 'derivation', name: 'web', environment: { a: '1', b: '2' } })
  expect((await store.registrations([one!.derivation!]))[0]?.references).toHaveLength(1)
})

test.each([
  { change: 'script', spec: build('web', 'false') },
  { change: 'name', spec: build('web2', 'true') },
  { change: 'environment', spec: build('web', 'true', { env: { a: '' } }) },
  { change: 'network', spec: build('web', 'true', { network: true }) },
  { change: 'parameters', spec: build('web', 'true', { parameters: '{}' }) },
  { change: 'inputs', spec: build('web', 'true', { inputs: { lib: build('lib', 'true') } }) },
])('instantiate() gives another output when the $change changes', async ({ spec }) => {
  const store = await temporaryStore()
  const [before, after] = await instantiated(store, build('web', 'true'), spec)
  expect(after!.outPath).not.toBe(before!.outPath)
})

test('instantiate() gives another output for another system or store', async () => {
  const [store, other] = [await temporaryStore(), await temporaryStore()]
  const spec = build('web', 'true')
  const [here, there] = await store.instantiate([wantedBy('web', spec), wantedBy('web', spec, 'm68k-linux' as System)])
  const [elsewhere] = await instantiated(other, spec)
  expect(new Set([here, there, elsewhere].map((pkg) => basename(pkg!.outPath))).size).toBe(3)
})

test('instantiate() gives the same output when only a time limit changes, also that of an input', async () => {
  const store = await temporaryStore()
  const web = (timeLimitSeconds?: number) => {
    const limit = timeLimitSeconds === undefined ? {} : { timeLimitSeconds }
    return build('web', 'true', { ...limit, inputs: { lib: build('lib', 'true', limit) } })
  }
  const [before, after] = await instantiated(store, web(), web(10))
  expect(after!.derivation).not.toBe(before!.derivation)
  expect(after!.outPath).toBe(before!.outPath)
})

test('instantiate() accepts a package that is present, and only in this store', async () => {
  const store = await temporaryStore()
  const [source] = await instantiated(store, { kind: 'source', path: writeTree(FILES) })
  const present = { kind: 'present', path: source!.outPath } as const
  expect(await instantiated(store, present)).toStrictEqual([{ outPath: source!.outPath }])

  const other = await temporaryStore()
  expect(await failureOf(instantiated(other, present))).toContain(
    `service 'web': '${source!.outPath}' does not belong to the store '${other.reference.directory}'`,
  )
  const inNix = { kind: 'present', path: `/nix/store/${'0'.repeat(32)}-web` as StorePath } as const
  await expect(instantiated(other, inNix)).rejects.toMatchObject({
    diagnostics: [{ hint: expect.stringContaining('--store nix') }],
  })
})

test('instantiate() replaces what a killed run left in the place of a path', async () => {
  const store = await temporaryStore()
  const source = { kind: 'source', path: writeTree(FILES) } as const
  const specs = [source, build('web', 'true', { sources: { app: source.path } })]
  const packages = await instantiated(store, ...specs)
  const { directory } = store.reference
  const [tree, derivation] = [packages[0]!.outPath, packages[1]!.derivation!]
  chmodSync(tree, 0o755)
  writeFileSync(join(tree, 'rubbish'), '')
  chmodSync(derivation, 0o644)
  writeFileSync(derivation, '')
  spawnSync('rm', [join(directory, '.davit/registrations', `${basename(tree)}.json`)])

  const again = await temporaryStore(undefined, directory)
  expect(await again.invalidPaths([tree])).toStrictEqual([tree])
  expect(await instantiated(again, ...specs)).toStrictEqual(packages)
  expect(existsSync(join(tree, 'rubbish'))).toBe(false)
  expect(JSON.parse(readFileSync(derivation, 'utf8'))).toMatchObject({ name: 'web' })
})

test('instantiate() refuses a source that contains the store', async () => {
  const store = await temporaryStore()
  const path = join(store.reference.directory, '..')
  expect(await failureOf(instantiated(store, { kind: 'source', path }))).toContain(
    `service 'web': the source '${path}' contains the store '${store.reference.directory}'`,
  )
})

test('instantiate() does not touch the source', async () => {
  const store = await temporaryStore()
  const tree = writeTree(FILES)
  symlinkSync('/etc', join(tree, 'outside'))
  const state = () => spawnSync('find', [tree, '-printf', '%p %m %T@\\n'], { encoding: 'utf8' }).stdout
  const before = state()
  await instantiated(store, { kind: 'source', path: tree })
  expect(state()).toBe(before)
})

test('instantiate() reports what to do when the store cannot be made', async () => {
  const file = join(scratchDirectory(), 'file')
  writeFileSync(file, '')
  const store = await temporaryStore(undefined, join(file, 'store'))
  await expect(instantiated(store, build('web', 'true'))).rejects.toMatchObject({
    code: 'cannot-use-store',
    exitStatus: 73,
  })
  expect(readdirSync(join(file, '..'))).toStrictEqual(['file'])
})
