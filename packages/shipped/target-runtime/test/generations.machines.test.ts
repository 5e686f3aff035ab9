import { spawnSync } from 'node:child_process'
import {
  existsSync,
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

import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { helperText, operationsOf } from '../src/target-runtime.ts'

describe.each(installedShells())('generations of snapshots, by $name', (shell) => {
  let directory: string
  const place = () => join(directory, "it's -> here/targets/t1/dysnomia")
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-generations-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  function snapshot(name: string, facts?: string, component = 'box/db'): void {
    mkdirSync(join(place(), 'snapshots', component, name), { recursive: true })
    writeFileSync(join(place(), 'snapshots', component, name, 'dump'), '12345')
    mkdirSync(join(place(), 'facts', component), { recursive: true })
    if (facts !== undefined) writeFileSync(join(place(), 'facts', component, name), facts)
  }

  function generation(number: string, text: string, component = 'box/db'): void {
    mkdirSync(join(place(), 'generations', component), { recursive: true })
    symlinkSync(text, join(place(), 'generations', component, number))
  }

  function ask(words: string, { path = shell.path, quotes = 'literal' } = {}): readonly string[] {
    const { script } = helperText({ role: 'state', marker: 'marker', operations: operationsOf('state') })
    const env = { PATH: path, LC_ALL: 'C', QUOTING_STYLE: quotes, DAVIT_STATE_DIR: join(directory, "it's -> here") }
    const { stdout } = spawnSync('sh', ['-c', script], { input: `1 ${words}\n`, encoding: 'utf8', env })
    return (
      stdout
        .split('\nmarker\n')[1]
        ?.trimEnd()
        .split('\n')
        .map((line) => line.replace(/^1 (?:\+ )?/, '')) ?? []
    )
  }
  const listed = (options = {}) =>
    ask('snapshots targets/t1', options)
      .filter((line) => line.startsWith('generation '))
      .map((line) => line.replace(/ (?:\d{9,11}|-)$/, ''))
      .toSorted()
  const left = (kind: string) => readdirSync(join(place(), kind, 'box/db')).toSorted()

  test.each(['literal', 'shell-escape', 'c', 'locale'])('are listed, whatever quotes utilities use (%s)', (quotes) => {
    snapshot('a.b')
    generation('1', '../../../snapshots/box/db/a.b')
    generation('12', '/anywhere/else/a.b')
    expect(listed({ quotes })).toEqual(['generation box db 1 a.b', 'generation box db 12 a.b'])
  })

  test('are listed without names that nobody could use', () => {
    for (const [index, name] of ['good', '-x', '.x', 'a b', "a'b"].entries()) {
      snapshot(name)
      generation(String(index + 10), `../../../snapshots/box/db/${name}`)
    }
    for (const number of ['007', 'x', '1x', '1'.repeat(16), '-1']) generation(number, '../../../snapshots/box/db/good')
    generation('3', '../../../snapshots/box/db/gone')
    for (const component of ['-x/db', 'box/-x', 'box/a b']) {
      snapshot('good', undefined, component)
      generation('1', `../../../snapshots/${component}/good`, component)
    }
    expect(listed()).toEqual(['generation box db 10 good'])
  })

  test('are listed with the facts that make sense', () => {
    snapshot('good', 'bytes 7\nname\nempty \nodd \u001b[2J\n name db\nname d\\0040b\n')
    generation('1', '../../../snapshots/box/db/good')
    expect(ask('snapshots targets/t1').slice(1)).toEqual(['fact bytes 7', 'fact name db', 'fact name d\\0040b', '='])
  })

  test('are cleaned but for the last ones, what is awaited, and what was replaced', () => {
    const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11']
    for (const name of [...names, 'rest', 'rest ', ' rest']) snapshot(name)
    for (const [index, name] of names.entries()) generation(String(index + 1), `../../../snapshots/box/db/${name}`)
    // An earlier generation of one that is kept, and of one that is awaited.
    generation('12', '../../../snapshots/box/db/n2')
    generation('13', '../../../snapshots/box/db/n11')
    mkdirSync(join(place(), 'replaced/box'), { recursive: true })
    writeFileSync(join(place(), 'replaced/box/db'), 'n5\n')
    mkdirSync(join(place(), '../active/default/box:key'), { recursive: true })
    writeFileSync(join(place(), '../active/default/box:key/record'), 'restore n3\n')
    mkdirSync(join(place(), '../active/default/box:other'), { recursive: true })
    writeFileSync(join(place(), '../active/default/box:other/record'), 'restore n4\n')
    writeFileSync(join(place(), '../active/default/box:other/restored'), '')
    const before = [left('generations'), left('snapshots')]
    const gone = ['removed 9', 'freed 8 40', '=']
    expect(ask('clean_snapshots targets/t1 2 box db --dry-run').toSorted()).toEqual(gone.toSorted())
    expect([left('generations'), left('snapshots')]).toEqual(before)
    expect(ask('clean_snapshots targets/t1 2 box db').toSorted()).toEqual(gone.toSorted())
    expect(left('generations')).toEqual(['12', '13', '3', '5'])
    // What ends or begins with a space is nothing of davit's, nor of Dysnomia's.
    expect(left('snapshots')).toEqual([' rest', 'n11', 'n2', 'n3', 'n5', 'rest '])
    expect(ask('clean_snapshots targets/t1 0 box db').at(-1)).toBe('=')
    expect(left('generations')).toEqual(['3'])
    expect(ask('clean_snapshots targets/t1 x box db').at(-1)).toMatch(/^! bad-request /)
    expect(left('generations')).toEqual(['3'])
  })

  test('are counted in parts', () => {
    snapshot('good')
    for (let number = 1; number <= 600; number += 1) generation(String(number), '../../../snapshots/box/db/good')
    expect(ask('clean_snapshots targets/t1 1 box db --dry-run')).toEqual(['removed 500', 'removed 99', '='])
  })

  test.skipIf(shell.name === 'busybox')('are gone for good before their snapshots are', () => {
    const bin = join(directory, 'bin')
    mkdirSync(bin)
    for (const name of ['sync', 'rm'])
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "${name} \${*##*/}" >>'${directory}/calls'\n`, {
        mode: 0o755,
      })
    for (const [index, name] of ['old', 'new'].entries()) {
      snapshot(name)
      generation(String(index + 1), `../../../snapshots/box/db/${name}`)
    }
    expect(ask('clean_snapshots targets/t1 1 box db', { path: `${bin}:${shell.path}` }).at(-1)).toBe('=')
    const calls = readFileSync(join(directory, 'calls'), 'utf8').split('\n')
    expect(calls.slice(0, 3)).toEqual(['rm 1', 'sync db', 'rm old'])
  })

  // busybox has its own `stat`, whatever the path is.
  test.skipIf(shell.name === 'busybox')('are listed where no utility tells the time', () => {
    const bin = join(directory, 'bin')
    mkdirSync(bin)
    const utilities = 'cat date env find head id ln ls mkdir od readlink rm sed sh sleep tail tr uname'.split(' ')
    for (const name of utilities) {
      const real = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env: { PATH: shell.path } })
      if (existsSync(real.stdout.trim())) symlinkSync(real.stdout.trim(), join(bin, name))
    }
    snapshot('good')
    generation('1', '../../../snapshots/box/db/good')
    expect(ask('snapshots targets/t1', { path: bin })).toEqual(['generation box db 1 good -', '='])
  })
})
