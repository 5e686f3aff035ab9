import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { installedShells } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { quote, runtime } from '../src/runtime-script.ts'

const SCRIPT = runtime({ own: ['common', 'claim', 'refuse', 'holder', 'nix', 'nix-roots', 'wanted'] })

describe.each(installedShells())('links to what runs want, in $name', ({ program, path }) => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-wanted-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))
  const run = (script: string) =>
    spawnSync(program, ['-c', `${SCRIPT}\nstate=${quote(directory)}\n${script}`], {
      encoding: 'utf8',
      env: { PATH: path },
    })
  const toldOf = (...names: readonly string[]) => {
    for (const name of names) symlinkSync('/store/x', join(directory, `wanted.${name}`))
    const words = names.map((name) => quote(join(directory, `wanted.${name}`))).join(' ')
    return run(`for link in ${words}; do ! is_told "$link" || printf '%s\\n' "\${link##*/wanted.}"; done`)
      .stdout.split('\n')
      .slice(0, -1)
  }

  test('are those of runs, whose numbers and tokens have bounds', () => {
    const long = 'x'.repeat(200)
    const good = ['next.1.run-0.7', 'same.999999.a_B-9.1', `next.1.${long}.7`, `next.1.run.${'9'.repeat(12)}`]
    const bad = [
      `next.1.${long}x.7`,
      'next.0.run.7',
      'next.1000000.run.7',
      'next.01.run.7',
      'next.1.run.0',
      'next.1.run.07',
      `next.1.run.${'9'.repeat(13)}`,
      'next.1.run.-7',
      'next.x.run.7',
      'next.1..7',
      'next.1.a b.7',
      'next.1.a.b.7',
      "next.1.a'b.7",
      'next.1.a\nb.7',
      'other.1.run.7',
      'NEXT.1.run.7',
      'next.1.run',
      'next.1',
      'next',
      '',
    ]
    expect(toldOf(...good, ...bad)).toEqual(good)
    writeFileSync(join(directory, 'wanted.next.2.file.7'), '')
    expect(run(`is_told ${quote(join(directory, 'wanted.next.2.file.7'))}`).status).toBe(1)
  })

  test('are kept for twenty locks', () => {
    const told = (number: number) =>
      run(`ask() { tell_wanted t1 default token-${number} ${number} /store/p${number} 1 native; }; ask`)
    const left = () => readdirSync(join(directory, 'targets/t1/profiles/default')).toSorted()
    for (const number of [1, 2, 21]) expect(told(number)).toMatchObject({ status: 0, stderr: '' })
    expect(left()).toEqual(['wanted.next.1.token-2.2', 'wanted.next.1.token-21.21'])
    expect(told(2).status).toBe(0)
    for (const bad of ['../x', '/store/../x', '/store/a b', 'x', '/store/$(id)'])
      expect(run(`tell_wanted t1 default token 30 ${quote(bad)} 1 native`)).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('bad-request'),
      })
    for (const bad of ['../1', 'a/b', '.', '']) {
      expect(run(`tell_wanted t1 default token 30 /store/x ${quote(bad)} native`).stderr).toContain('bad-request')
    }
  })
})
