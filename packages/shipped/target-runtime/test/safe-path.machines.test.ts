import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells, type Shell } from '@davit/testing/shells'
import { describe, expect, test } from 'vitest'

import { runtimePart } from '../src/target-runtime.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: tests with directories of others, since only root can make them')

const WALK = `${runtimePart('safe-path')}
set -u
if check_path "$@"; then verdict=safe; else verdict=unsafe; fi
printf '%s|' "$verdict" "$davit_there" "$davit_missing" "$davit_unsafe" "$davit_offender"`

const SAFE = 'safe'
const STRANGER = 4711
const OTHER = 4712

/** A directory of root in which `{}` of a path or of a message stands. */
class Ground {
  readonly root = realpathSync(scratchDirectory())
  private readonly shell: Shell

  constructor(shell: Shell) {
    this.shell = shell
  }

  at(path: string): string {
    return join(this.root, path)
  }

  directory(path: string, { owner = 0, group = 0, mode = 0o755 } = {}): void {
    mkdirSync(this.at(path), { recursive: true })
    chownSync(this.at(path), owner, group)
    chmodSync(this.at(path), mode)
  }

  link(path: string, target: string, owner = 0): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    symlinkSync(target, this.at(path))
    lchownSync(this.at(path), owner, owner)
  }

  /** The answer of check_path, with `{}` for the root. */
  walk(path: string, owners: readonly string[] = [], before: readonly string[] = []) {
    const [program = '', ...words] = [...before, this.shell.program, '-c', WALK, 'walk', path, ...owners]
    const { stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', env: { PATH: this.shell.path } })
    if (stderr !== '') throw new Error(stderr)
    return answerOf(stdout.replaceAll(this.root, '{}').split('|'))
  }

  verdict(path: string, ...owners: readonly string[]): string | undefined {
    const { verdict, reason } = this.walk(this.at(path), owners)
    return reason || verdict
  }
}

function answerOf(fields: readonly string[]) {
  const [verdict, there, missing, reason, offender] = fields
  return { verdict, there, missing, reason, offender }
}

describe.runIf(isRoot).each(shells)('a path under $name', (shell) => {
  test('of root is walked to where it ends', () => {
    const ground = new Ground(shell)
    ground.directory('a/b')
    expect(ground.walk('/')).toMatchObject({ verdict: SAFE, there: '', missing: '' })
    expect(ground.walk(`${ground.root}//a/./b/`)).toMatchObject({ verdict: SAFE, there: '{}/a/b', missing: '' })
    expect(ground.walk(ground.at('a/c/d'))).toMatchObject({ verdict: SAFE, there: '{}/a', missing: 'c/d' })
    const odd = `-v 'a' "l" -> $(touch x) * ü\\`
    ground.directory(odd)
    expect(ground.walk(`${ground.root}/${odd}/x y`)).toMatchObject({
      verdict: SAFE,
      there: `{}/${odd}`,
      missing: 'x y',
    })
    expect(ground.walk('a').reason).toBe("'a' is not an absolute path")
    expect(ground.walk('').reason).toBe("'' is not an absolute path")
    expect(ground.walk('/a\n/b').reason).toBe("the path '/a…' has a line break")
  })

  test('with a step of somebody else is refused with the command that mends it', () => {
    const ground = new Ground(shell)
    ground.directory('a/b/c')
    ground.directory('a/b', { owner: STRANGER })
    const refused = (what: string) => `'{}/a/b' belongs to '4711', who can replace ${what}; chown root '{}/a/b'`
    expect(ground.walk(ground.at('a/b/c'))).toEqual({
      verdict: 'unsafe',
      there: '{}/a',
      missing: 'b/c/',
      reason: refused("'c'"),
      offender: '4711',
    })
    expect(ground.verdict('a/b/c', '*')).toBe(refused("'c'"))
    expect(ground.verdict('a/b/c', '4711')).toBe(refused("'c'"))
    expect(ground.verdict('a/b/new/d', '*')).toBe(refused("'new'"))
    expect(ground.verdict('a/b')).toBe(refused('what is in it'))
    expect(ground.verdict('a/b', String(OTHER))).toBe(refused('what is in it'))
    expect(ground.verdict('a/b', String(OTHER), String(STRANGER))).toBe(SAFE)
    expect(ground.verdict('a/b', '*')).toBe(SAFE)
    ground.directory('a/b', { owner: NOBODY.uid })
    expect(ground.verdict('a/b', 'nobody')).toBe(SAFE)
    expect(ground.verdict('a/b', 'no-such-user')).toContain("belongs to 'nobody'")
  })

  test('with a step that others may write in is refused, unless it is sticky', () => {
    const ground = new Ground(shell)
    ground.directory('a/b')
    ground.directory('a', { mode: 0o757 })
    expect(ground.verdict('a/b')).toBe("everybody can write in '{}/a', and replace 'b'; chmod o-w '{}/a'")
    expect(ground.verdict('a')).toBe("everybody can write in '{}/a', and replace what is in it; chmod o-w '{}/a'")
    expect(ground.verdict('a', '*')).toBe(SAFE)
    ground.directory('a', { mode: 0o775, group: STRANGER })
    expect(ground.verdict('a/b')).toBe("the group '4711' can write in '{}/a', and replace 'b'; chmod g-w '{}/a'")
    ground.directory('a', { mode: 0o775, group: 0 })
    expect(ground.verdict('a/b')).toBe(SAFE)
    for (const mode of [0o1777, 0o1770]) {
      ground.directory('a', { mode, group: STRANGER })
      expect(ground.verdict('a/b/c')).toBe(SAFE)
      expect(ground.verdict('a/new')).toBe(SAFE)
      expect(ground.verdict('a')).toBe(SAFE)
    }
    ground.directory('a/b', { owner: STRANGER })
    expect(ground.verdict('a/b/c')).toBe("'{}/a/b' belongs to '4711', who can replace 'c'; chown root '{}/a/b'")
    expect(ground.verdict('a/b', '*')).toBe(
      "'{}/a/b' belongs to '4711', who can replace it, since others can write in '{}/a'; use a directory elsewhere",
    )
    ground.directory('a', { mode: 0o1755, group: STRANGER })
    expect(ground.verdict('a/b', '*')).toBe(SAFE)
  })

  test('goes through links of root, and through what they lead to', () => {
    const ground = new Ground(shell)
    ground.directory('a/b')
    ground.directory('c', { owner: STRANGER })
    ground.link('l/absolute', ground.at('a'))
    ground.link('l/relative', '../a//.')
    ground.link('l/twice', 'relative')
    ground.link('l/nowhere', '../a/nothing/x')
    ground.link('l/-> x', '../a')
    for (const name of ['absolute', 'relative', 'twice', '-> x']) {
      const expected = { verdict: SAFE, there: '{}/a/b', missing: 'x' }
      expect(ground.walk(ground.at(`l/${name}/b/x`))).toMatchObject(expected)
    }
    expect(ground.walk(ground.at('l/absolute'))).toMatchObject({ verdict: SAFE, there: '{}/a', missing: '' })
    expect(ground.walk(ground.at('l/nowhere/y'))).toMatchObject({
      verdict: SAFE,
      there: '{}/a',
      missing: 'nothing/x/y',
    })
    expect(ground.walk(`${ground.root}/l/../a/b`)).toMatchObject({ verdict: SAFE, there: '{}/a/b', missing: '' })
    ground.link('l/stranger', '../c')
    expect(ground.verdict('l/stranger/x')).toBe("'{}/c' belongs to '4711', who can replace 'x'; chown root '{}/c'")
    expect(ground.verdict('l/stranger', '*')).toBe(SAFE)
    // A way that goes back again has gone through the directory nevertheless.
    ground.directory('c/d', { owner: STRANGER })
    expect(ground.walk(`${ground.root}/c/d/../../a`).reason).toContain("'{}/c' belongs to '4711'")
  })

  test('goes through no link of somebody else, nor in circles', () => {
    const ground = new Ground(shell)
    ground.directory('a')
    ground.link('mine', 'a', STRANGER)
    const refused = "the link '{}/mine' belongs to '4711', who can lead it elsewhere; rm '{}/mine'"
    for (const path of ['mine', 'mine/x']) expect(ground.verdict(path, '*')).toBe(refused)
    expect(ground.verdict('mine', '4711')).toBe(refused)
    ground.link('one', 'two')
    ground.link('two', 'one/x')
    expect(ground.verdict('one')).toBe("'{}' is on a way of too many links")
    ground.link('broken', 'a\n/b')
    expect(ground.verdict('broken')).toBe("the link '{}/broken' cannot be followed")
  })

  test('believes no second name in a directory for everybody', () => {
    const ground = new Ground(shell)
    ground.directory('a')
    ground.directory('tmp', { mode: 0o1777 })
    ground.link('other', ground.at('a'))
    ground.link('tmp/link', ground.at('a'))
    expect(ground.verdict('tmp/link')).toBe(SAFE)
    linkSync(ground.at('other'), ground.at('tmp/again'))
    expect(ground.verdict('tmp/again')).toBe("'{}/tmp/again' has other names, perhaps of others; rm '{}/tmp/again'")
    writeFileSync(ground.at('file'), '')
    linkSync(ground.at('file'), ground.at('tmp/file'))
    expect(ground.verdict('tmp/file')).toContain('has other names')
    linkSync(ground.at('file'), ground.at('a/file'))
    expect(ground.verdict('a/file')).toBe(SAFE)
    // As /nix/store is, where equal files may be one.
    ground.directory('tmp', { mode: 0o1775, group: STRANGER })
    expect(ground.verdict('tmp/file')).toBe(SAFE)
  })

  test('to a file is safe if nobody else can write it', () => {
    const ground = new Ground(shell)
    writeFileSync(ground.at('file'), '', { mode: 0o644 })
    expect(ground.verdict('file')).toBe(SAFE)
    chmodSync(ground.at('file'), 0o666)
    expect(ground.verdict('file')).toContain("everybody can write in '{}/file'")
    chownSync(ground.at('file'), STRANGER, 0)
    chmodSync(ground.at('file'), 0o644)
    expect(ground.verdict('file')).toContain("'{}/file' belongs to '4711'")
    expect(ground.verdict('file', '*')).toBe(SAFE)
  })

  test('may have steps of whoever runs davit', () => {
    const ground = new Ground(shell)
    const as = ['/usr/bin/setpriv', `--reuid=${STRANGER}`, `--regid=${OTHER}`, '--clear-groups']
    chmodSync(ground.root, 0o755)
    ground.directory('mine/x', { owner: STRANGER })
    ground.directory('mine', { owner: STRANGER, group: OTHER, mode: 0o775 })
    ground.directory('theirs', { owner: OTHER })
    expect(ground.walk(ground.at('mine/x/y'), [], as)).toMatchObject({ verdict: SAFE, missing: 'y' })
    expect(ground.walk(ground.at('theirs/y'), [], as).reason).toMatch(
      /'theirs' belongs|'\{\}\/theirs' belongs to '4712'/,
    )
    ground.directory('mine', { owner: STRANGER, group: STRANGER, mode: 0o775 })
    expect(ground.walk(ground.at('mine/x'), [], as).reason).toContain("the group '4711' can write in '{}/mine'")
  })
})

/** Programs of a machine that says more of the directory `a`, or says it later. */
const LS = {
  'rights in an access list do not hide behind the group root': [
    `/bin/ls "$@" | sed 's|^d\\(...\\)...\\(...\\)\\( .*/a\\)$|d\\1rwx\\2+\\3|'`,
    "the group 'root' can write in '{}/a'",
  ],
  'a link that takes the place of a directory is not followed': [
    `/bin/ls "$@" | sed 's|^d\\(.*/a\\)$|l\\1|'`,
    "'{}/a' has changed while it was read",
  ],
  'a link that takes the place of the end is not followed': [
    `/bin/ls "$@" | sed 's|^d\\(.*/a/b\\)$|l\\1|'`,
    "'{}/a/b' has changed while it was read",
  ],
  'a step that is gone is noticed': [`/bin/ls "$@" | sed '$d'`, "'{}/a/b' has changed while it was read"],
} as const

test.runIf(isRoot).each(Object.entries(LS))('%s', (_, [ls, reason]) => {
  const [{ path, ...shell } = shells[0]!] = shells
  const ground = new Ground({ ...shell, path: `${scratchProgram('ls', ls)}:${path}` })
  ground.directory('a/b')
  expect(ground.verdict('a/b')).toContain(reason)
  expect(ground.verdict('a/b', '*')).toContain(reason)
})

function scratchProgram(name: string, text: string): string {
  const directory = scratchDirectory()
  writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return directory
}
