import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll } from 'vitest'
import { isThorough } from './effort.ts'

export interface Shell {
  readonly name: string
  readonly program: string
  /** PATH in which `sh` is this shell, with the utilities that belong to it. */
  readonly path: string
  /** Whether tests that do not depend on the shell run in it: one shell, or all with DAVIT_TEST_THOROUGH=1. */
  readonly inDepth: boolean
}

/** Returns the installed shells among those of targets, until the tests of the file are over; prints those that are missing. */
export function installedShells(): readonly Shell[] {
  const shells: Shell[] = []
  const directories = mkdtempSync(join(tmpdir(), 'davit-shells-'))
  // Scripts use their utilities as other accounts too.
  chmodSync(directories, 0o755)
  afterAll(() => rmSync(directories, { recursive: true, force: true }))
  for (const [name, programs] of Object.entries(PROGRAMS)) {
    const links = programs()
    if (links.length === 0) {
      console.warn(`SKIPPED: tests with ${name}, which is not installed`)
      continue
    }
    const directory = join(directories, name)
    mkdirSync(directory)
    for (const link of links) symlinkSync(`/bin/${name}`, join(directory, link))
    const path = name === 'busybox' ? directory : `${directory}:/usr/bin:/bin`
    shells.push({ name, program: join(directory, 'sh'), path, inDepth: isThorough || shells.length === 0 })
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
