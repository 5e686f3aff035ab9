import { existsSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { buildClosures, type Closure, linesOf, nixConnection, nixPrograms, validOf } from '@davit/target/testing'
import { spawnSync } from 'node:child_process'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { exportClosures, importClosures, print, type PrintingOperation } from '../src/client-interface.ts'
import { type Scene, sceneOver } from './scene.ts'

const shells = installedShells()

describe.skipIf(noPrivateNix !== undefined)('the Nix store of a machine', () => {
  const here = privateNixOfFile()
  const there = privateNixOfFile()
  const programs = nixPrograms()
  let closureOf: (label: string) => Closure

  beforeAll(() => {
    closureOf = buildClosures(
      here,
      shells.map(({ name }) => name),
    )
  })

  describe.each(shells)('with $name', (shell) => {
    let scene: Scene
    let source: Scene

    beforeEach(() => {
      const directory = scratchDirectory()
      scene = sceneOver(nixConnection(shell, { nix: there, programs, home: join(directory, 'home') }), directory)
      const local = scratchDirectory()
      source = sceneOver(nixConnection(shell, { nix: here, programs, home: join(local, 'home') }), local)
    })
    const ask = async (on: Scene, operation: PrintingOperation, ...words: readonly string[]) => {
      expect([operation, await print(on.client, operation, words)]).toEqual([operation, 0])
      return linesOf(on.take().printed)
    }

    test('gets closures that are exported elsewhere, as a file here or there', async () => {
      const [file, top] = closureOf(shell.name)
      expect(await ask(scene, 'print_invalid', file, top)).toEqual([file, top])
      expect(await ask(source, 'query_requisites', top)).toEqual([file, top])
      expect(await exportClosures(source.client, [file])).toBe(0)
      const exported = source.take().printed.trim()
      expect(await importClosures(scene.client, { kind: 'local', path: exported })).toBe(0)
      expect(scene.take().printed).toBe('')
      expect(await ask(scene, 'print_invalid', file, top)).toEqual([top])
      expect(await exportClosures(source.client, [top])).toBe(0)
      const other = source.take().printed.trim()
      expect(await importClosures(scene.client, { kind: 'remote', path: other })).toBe(0)
      expect(validOf(there, [file, top])).toEqual([file, top])
    })

    test('refuses a damaged file, and one that is not there', async () => {
      const damaged = scene.write('damaged', 'not a closure')
      expect(await importClosures(scene.client, { kind: 'local', path: damaged })).not.toBe(0)
      await expect(importClosures(scene.client, { kind: 'local', path: `${damaged}.no` })).rejects.toMatchObject({
        code: 'no-input',
      })
      expect(await importClosures(scene.client, { kind: 'remote', path: `${damaged}.no` })).not.toBe(0)
    })

    test('builds derivations', async () => {
      const text = `derivation { name = "built-${shell.name}"; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" "echo built >$out" ]; }`
      const derivation = there.shell('nix-instantiate --expr "$1" 2>/dev/null', text).trim()
      const [output = ''] = await ask(scene, 'realise', derivation)
      expect(readFileSync(there.place(output.slice(1)), 'utf8')).toBe('built\n')
    })

    test('makes a path the current generation of a profile, once', async () => {
      const [file, top] = closureOf(shell.name)
      const profile = `shop-${shell.name}`
      const link = there.place(`nix/var/nix/profiles/disnix/${profile}`)
      expect(await ask(scene, 'query_installed', profile)).toEqual([])
      for (const path of [top, top, file, file]) await ask(scene, 'set', profile, path)
      expect(readlinkSync(link)).toBe(`${profile}-2-link`)
      expect(await ask(scene, 'query_requisites', `/nix/var/nix/profiles/disnix/${profile}`)).toEqual([file])
    })

    test.each(['$(id)', '../etc', "a'b", '/nix/store/../x', '--help', ''])('has no path %j', async (path) => {
      for (const operation of ['print_invalid', 'realise', 'query_requisites'] as const)
        await expect(print(scene.client, operation, [path])).rejects.toMatchObject({ code: 'bad-request' })
      await expect(print(scene.client, 'set', ['shop', path])).rejects.toMatchObject({ code: 'bad-request' })
      await expect(exportClosures(scene.client, [path])).rejects.toMatchObject({ code: 'bad-request' })
    })
  })

  test('loses its garbage', async () => {
    const [shell] = shells
    if (shell === undefined) return
    const directory = scratchDirectory()
    const scene = sceneOver(nixConnection(shell, { nix: there, programs, home: join(directory, 'home') }), directory)
    const garbage = there
      .shell('echo garbage >/tmp/davit-garbage.$$; nix-store --add /tmp/davit-garbage.$$; rm /tmp/davit-garbage.$$')
      .trim()
    expect(await print(scene.client, 'collect_garbage', ['all'])).toBe(0)
    expect(scene.take().printed).toBe('')
    expect(existsSync(there.place(garbage.slice(1)))).toBe(false)
  })

  test('is missed where there is none', async () => {
    const [shell] = shells
    if (shell === undefined) return
    const directory = scratchDirectory()
    const scene = sceneOver(shellConnection({ ...shell, path: emptyPath(directory) }, directory), directory)
    await expect(print(scene.client, 'print_invalid', ['/nix/store/x'])).rejects.toMatchObject({ code: 'nix-missing' })
  })
})

function emptyPath(directory: string): string {
  const programs = join(directory, 'programs')
  mkdirSync(programs)
  const { stdout } = spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' })
  spawnSync(stdout.trim(), ['--install', '-s', programs])
  return programs
}
