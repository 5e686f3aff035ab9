import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { runtimePart } from '@davit/target-runtime'
import type { Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { installedShells, Scene, scratchPath } from './scene.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: links in directories of others, since only root can make them')

const STRANGER = 4711
const partOf = (name: string) => readFileSync(new URL(`../modules/shared/${name}.sh`, import.meta.url), 'utf8')
const PARTS = [partOf('module'), runtimePart('safe-path'), partOf('places'), partOf('managed')].join('\n')

/** What supervisord-program, systemd-unit and tomcat-webapplication do with links, in directories of their own or of others. */
class Links {
  readonly scene: Scene
  readonly place: string
  readonly source: string
  private readonly script: string

  constructor(shell: Shell, { shared = false } = {}) {
    this.scene = new Scene(shell, { 'conf.d/web': '' })
    this.place = join(this.scene.directory, 'conf.d/web')
    this.source = join(this.scene.component, 'conf.d/web')
    mkdirSync(join(this.scene.directory, 'conf.d'))
    this.script = join(this.scene.directory, 'script')
    const start = `module=links component=$SCENE container=links\n${shared ? 'davit_shared=yes\n' : ''}"$@"\n`
    writeFileSync(this.script, `${PARTS}\n${start}`)
  }

  async call(name: string, place = this.place, programs = '/nowhere') {
    const argv = ['-c', 'PATH=$0:$PATH; exec sh "$@"', programs, this.script, name, place, this.source]
    const { status, stderr } = await this.scene.run(argv)
    return [status, stderr.replaceAll(this.scene.directory, '{}')]
  }
}

const done = [0, '']

describe.each(shells)('a link of a module under $name', (shell) => {
  test('is made with its directory, and removed only if it is its own', async () => {
    const links = new Links(shell)
    const place = join(links.scene.directory, 'conf.d/some.wants/web')
    expect(await links.call('make_link', place)).toEqual(done)
    expect(await links.call('make_link', place)).toEqual(done)
    expect(readlinkSync(place)).toBe(links.source)
    expect(await links.call('remove_link', place)).toEqual(done)
    expect(await links.call('remove_link', place)).toEqual(done)
    expect(existsSync(place)).toBe(false)
    for (const other of ['/nowhere', links.scene.directory]) {
      symlinkSync(other, place)
      expect(await links.call('remove_link', place)).toEqual(done)
      expect(readlinkSync(place)).toBe(other)
      expect(await links.call('make_link', place)).toEqual(done)
      expect(await links.call('remove_link', place)).toEqual(done)
    }
    writeFileSync(place, 'mine')
    expect(await links.call('remove_link', place)).toEqual(done)
    expect(readFileSync(place, 'utf8')).toBe('mine')
    expect((await links.call('make_link', place))[0]).toBe(1)
    expect(readFileSync(place, 'utf8')).toBe('mine')
  })

  test.runIf(isRoot)('is neither made nor removed where somebody else can replace a step', async () => {
    const links = new Links(shell)
    expect(await links.call('make_link')).toEqual(done)
    chownSync(join(links.scene.directory, 'conf.d'), STRANGER, STRANGER)
    const reason =
      "link '{}/conf.d/web': '{}/conf.d' belongs to '4711', who can replace what is in it; chown root '{}/conf.d'"
    expect(await links.call('remove_link')).toEqual([1, expect.stringContaining(reason)])
    expect(readlinkSync(links.place)).toBe(links.source)
    const [status, stderr] = await links.call('make_link', join(links.scene.directory, 'conf.d/other'))
    expect([status, stderr]).toEqual([1, expect.stringContaining("'{}/conf.d' belongs to '4711'")])
    expect(existsSync(join(links.scene.directory, 'conf.d/other'))).toBe(false)
  })

  test.runIf(isRoot)('is made and removed in a directory of the program that reads it', async () => {
    const links = new Links(shell, { shared: true })
    chownSync(join(links.scene.directory, 'conf.d'), STRANGER, STRANGER)
    const place = join(links.scene.directory, 'conf.d/localhost/web')
    expect(await links.call('make_link', place)).toEqual(done)
    expect(readlinkSync(place)).toBe(links.source)
    expect(await links.call('remove_link', place)).toEqual(done)
    expect(existsSync(place)).toBe(false)
  })

  // The shell of busybox calls no other program of this name.
  test.runIf(shell.name !== 'busybox')('is not made in a directory to which another link leads meanwhile', async () => {
    const links = new Links(shell)
    const victim = join(links.scene.directory, 'victim')
    mkdirSync(victim)
    symlinkSync('/nowhere', links.place)
    const rm = `#!/bin/sh\n/bin/rm "$@"\nexec /bin/ln -s '${victim}' '${links.place}'\n`
    const [status] = await links.call('make_link', links.place, scratchPath({ rm }))
    expect([status, readdirSync(victim)]).toEqual([1, []])
  })

  test.runIf(isRoot)('is neither made nor removed where a link of that program leads', async () => {
    const links = new Links(shell, { shared: true })
    const victim = join(links.scene.directory, 'victim')
    mkdirSync(victim)
    const inner = join(links.scene.directory, 'conf.d/inner')
    mkdirSync(inner)
    const place = join(inner, 'web')
    chownSync(join(links.scene.directory, 'conf.d'), STRANGER, STRANGER)
    renameSync(inner, `${inner}.old`)
    symlinkSync(victim, inner)
    expect(await links.call('make_link', place)).toEqual([
      1,
      expect.stringContaining("cannot make the link '{}/conf.d/inner/web'"),
    ])
    expect(existsSync(join(victim, 'web'))).toBe(false)
    symlinkSync(links.source, join(victim, 'web'))
    expect((await links.call('remove_link', place))[0]).toBe(1)
    expect(readlinkSync(join(victim, 'web'))).toBe(links.source)
  })
})
