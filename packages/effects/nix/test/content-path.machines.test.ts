import type { StorePath } from '@davit/documents'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { expect, test } from 'vitest'
import { contentPath } from '../src/content-path.ts'
import { addContent, type PackageTree, withLocalServe } from '../src/nix.ts'

const nix = privateNixOfFile()

const file = (content: string | Uint8Array, executable = false): PackageTree => ({ kind: 'file', content, executable })
const directory = (entries: Readonly<Record<string, PackageTree>>): PackageTree => {
  return { kind: 'directory', entries: new Map(Object.entries(entries)) }
}

const TREES: readonly (readonly [string, PackageTree, string])[] = [
  ['an empty file', file(''), 'printf "" >t'],
  ['a text', file('häuser\n'), 'printf "h\\303\\244user\\n" >t'],
  ['bytes', file(Buffer.from([0, 255, 10])), 'printf "\\000\\377\\n" >t'],
  ['a program', file('#!/bin/sh\n', true), 'printf "#!/bin/sh\\n" >t; chmod +x t'],
  ['a link', { kind: 'link', to: '/some/where else' }, 'ln -s "/some/where else" t'],
  ['an empty directory', directory({}), 'mkdir t'],
  [
    'a directory, in the order of bytes',
    directory({ b: file('b'), B: file('B'), 'a.b': file('1'), a: directory({ x: file('x') }), ä: file('2') }),
    'mkdir -p t/a; printf b >t/b; printf B >t/B; printf 1 >t/a.b; printf x >t/a/x; printf 2 >"t/ä"',
  ],
]

test.skipIf(noPrivateNix).each(TREES)('contentPath() names %s as Nix does', (_, tree, script) => {
  const added = nix.shell(
    `cd "$(mktemp -d "$HOME/XXXXXX")"; ${script}; nix-store --add t; nix-hash --type sha256 --base32 t`,
  )
  const { path, narHash } = contentPath('/nix/store', { name: 't', tree, references: [] })
  expect([path, narHash.slice('sha256:'.length)]).toStrictEqual(added.trim().split('\n'))
})

test('contentPath() depends on references, whatever their order, and on the store directory', () => {
  const references = ['a', 'b'].map((name) => `/nix/store/${'0'.repeat(32)}-${name}` as StorePath)
  const pathOf = (store: string, paths: readonly StorePath[]) =>
    contentPath(store, { name: 't', tree: file(''), references: paths }).path
  const path = pathOf('/nix/store', references)
  expect(pathOf('/nix/store', [...references.toReversed(), ...references])).toBe(path)
  expect(pathOf('/nix/store', [])).not.toBe(path)
  expect(pathOf('/other', references)).toMatch(/^\/other\/[0-9a-z]{32}-t$/)
})

test.skipIf(noPrivateNix)('addContent() makes packages with references valid, which Nix finds in order', async () => {
  const add = (packages: Parameters<typeof addContent>[2]) =>
    withLocalServe(nix.environment, (client) => addContent(client, '/nix/store', packages))
  const [lib, module] = await add([
    { name: 'lib', tree: file('lib'), references: [] },
    { name: 'module', tree: file('module', true), references: [] },
  ])
  const profile = {
    name: 'profile',
    tree: directory({ lib: { kind: 'link', to: lib! } }),
    references: [lib!, module!],
  } as const
  const [path, again] = await add([profile, profile])
  expect(again).toBe(path)
  expect(await add([profile])).toStrictEqual([path])
  const closure = nix.shell('nix-store -qR "$1"; nix-store --verify --check-contents 2>/dev/null', path!)
  expect(new Set(closure.trim().split('\n'))).toStrictEqual(new Set([lib, module, path]))
  expect(nix.shell('cat "$1/lib"', path!)).toBe('lib')
})

test.skipIf(noPrivateNix).each([
  ['bad-package-name', '.hidden', []],
  ['bad-package-name', 'a/b', []],
  ['invalid-path', 'profile', [`/nix/store/${'0'.repeat(32)}-absent` as StorePath]],
])('addContent() fails with %s', async (code, name, references) => {
  const adding = withLocalServe(nix.environment, (client) =>
    addContent(client, '/nix/store', [{ name, tree: file(''), references }]),
  )
  await expect(adding).rejects.toMatchObject({ code })
})
