import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll } from 'vitest'
import { isExhaustive, isThorough } from './effort.ts'

export interface Shell {
  readonly name: string
  readonly program: string
  /** PATH in which `sh` is this shell, with the utilities that belong to it. */
  readonly path: string
  /** Whether tests that do not depend on the shell run in it: one shell, or all with DAVIT_TEST_ALL or DAVIT_TEST_THOROUGH. */
  readonly inDepth: boolean
  /** Directory in which scripts note the functions that they call, if they do. */
  readonly calls?: string
}

/** Whether all tests run in all shells. */
const IN_ALL = isExhaustive || isThorough

/** Returns the installed shells among those of targets, until the tests of the file are over; prints those that are missing. */
export function installedShells(): readonly Shell[] {
  return silent(shellsNamed(Object.keys(PROGRAMS)))
}

/** Returns the same shells for tests that look at the functions which scripts call (see `notedCalls`). */
export function notingShells(): readonly Shell[] {
  return shellsNamed(Object.keys(PROGRAMS))
}

/** Returns the shells for tests that do not depend on the shell: one, or all with DAVIT_TEST_ALL or DAVIT_TEST_THOROUGH. */
export function shellsInDepth(): readonly Shell[] {
  return IN_ALL ? installedShells() : silent(shellsNamed(['dash']))
}

/** Returns the shells for tests that depend on utilities: one with those of GNU and Busybox, or all with DAVIT_TEST_ALL or DAVIT_TEST_THOROUGH. */
export function shellsWithUtilities(): readonly Shell[] {
  return IN_ALL ? installedShells() : silent(shellsNamed(['dash', 'busybox']))
}

/** Returns shells in which scripts note nothing. */
function silent(shells: readonly Shell[]): readonly Shell[] {
  return shells.map(({ calls: _calls, ...shell }) => shell)
}

function shellsNamed(names: readonly string[]): readonly (Shell & { readonly calls: string })[] {
  const shells: (Shell & { readonly calls: string })[] = []
  const directories = mkdtempSync(join(tmpdir(), 'davit-shells-'))
  // Scripts use their utilities as other accounts too.
  chmodSync(directories, 0o755)
  afterAll(() => rmSync(directories, { recursive: true, force: true }))
  for (const name of names) {
    const links = PROGRAMS[name]?.() ?? []
    if (links.length === 0) {
      console.warn(`SKIPPED: tests with ${name}, which is not installed`)
      continue
    }
    const directory = join(directories, name)
    mkdirSync(directory)
    for (const link of links) symlinkSync(`/bin/${name}`, join(directory, link))
    const path = name === 'busybox' ? directory : `${directory}:/usr/bin:/bin`
    const calls = join(directories, `calls-${name}`)
    mkdirSync(calls)
    chmodSync(calls, 0o777)
    shells.push({ name, program: join(directory, 'sh'), path, inDepth: IN_ALL || shells.length === 0, calls })
  }
  return shells
}

/** Under which names each of them is called. */
const PROGRAMS: Readonly<Record<string, () => readonly string[]>> = {
  dash: () => shOf('dash'),
  bash: () => shOf('bash'),
  busybox() {
    const { status, stdout } = spawnSync('/bin/busybox', ['--list'], { encoding: 'utf8' })
    return status === 0
      ? stdout
          .trim()
          .split('\n')
          .filter((applet) => applet !== 'busybox')
      : []
  },
}

function shOf(name: string): readonly string[] {
  return spawnSync(`/bin/${name}`, ['-c', ':']).status === 0 ? ['sh'] : []
}
