import type { StorePath } from '@davit/documents'
import { noPrivateNix, privateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { describe, expect, test } from 'vitest'
import { parseDerivation } from '../src/derivation.ts'
import { plannedBuilds, readBuildPlaces, readDerivations, withLocalServe } from '../src/nix.ts'

const nix = privateNixOfFile({ settings: ['system = x86_64-linux', 'extra-platforms = i686-linux'] })
const PATH = `/nix/store/${'0'.repeat(32)}-a.drv` as StorePath

const EXPRESSION = `
  let make = name: more: derivation ({ inherit name; system = "riscv64-linux"; builder = "/bin/sh"; } // more);
  tool = make "tool" { outputs = [ "out" "doc" ]; };
  in make "web" {
    src = builtins.toFile "src" "x"; doc = tool.doc; odd = "\\"(),[] \\\\ \\n\\t\${"\\r"}"; escape = builtins.fromJSON ''"\\u001b"'';
  }`

describe.skipIf(noPrivateNix !== undefined)('with Nix', () => {
  test('readDerivations() and plannedBuilds() report how derivations depend on each other', async () => {
    const web = nix.shell('nix-instantiate -E "$1" 2>/dev/null', EXPRESSION).trim() as StorePath
    const planned = await plannedBuilds(nix.environment, [web])
    const [derivation, tool] = await withLocalServe(nix.environment, (client) =>
      readDerivations(client, [web, planned.find((path) => path !== web)!]),
    )
    expect(new Set(planned)).toStrictEqual(new Set([web, tool!.path]))
    expect(tool).toMatchObject({ name: 'tool', inputSources: [] })
    expect([...tool!.outputs]).toMatchObject([
      ['doc', expect.stringMatching(/-tool-doc$/)],
      ['out', expect.stringMatching(/-tool$/)],
    ])
    expect(derivation).toStrictEqual({
      path: web,
      name: 'web',
      system: 'riscv64-linux',
      outputs: new Map([['out', nix.shell('nix-store -q --outputs "$1"', web).trim()]]),
      inputDerivations: new Map([[tool!.path, ['doc']]]),
      inputSources: [expect.stringMatching(/-src$/)],
      arguments: expect.any(Array),
    })
  })

  test('readDerivations() reports a missing derivation', async () => {
    const reading = withLocalServe(nix.environment, (client) => readDerivations(client, [PATH]))
    await expect(reading).rejects.toMatchObject({ code: 'invalid-path' })
  })

  test('readBuildPlaces() reports platforms, and whether there are other machines', async () => {
    expect(await readBuildPlaces(nix.environment)).toStrictEqual({
      systems: ['x86_64-linux', 'i686-linux'],
      remote: false,
    })
    const other = privateNix({ settings: ['builders = ssh://mac x86_64-darwin', 'system = aarch64-linux'] })
    expect(await readBuildPlaces(other.environment)).toMatchObject({ remote: true })
    other.remove()
  })
})

test.each([
  ['not a derivation', 'Derive'],
  ['another kind', 'DrvWithVersion("xp-dyn-drv",[])'],
  ['no end', 'Derive([("out","","","")],['],
  ['a path elsewhere', 'Derive([("out","/etc/passwd","","")],[],[],"s","b",[],[])'],
  ['a list as system', 'Derive([],[],[],[],"b",[],[])'],
])('parseDerivation() refuses %s', (_, text) => {
  expect(() => parseDerivation(PATH, text)).toThrow(expect.objectContaining({ code: 'bad-nix-answer' }))
})
