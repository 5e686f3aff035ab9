import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll } from 'vitest'
import { isThorough } from './effort.ts'

export interface Shell {
  readonly name: string
  readonly program: string
  /** Directories in which `sh` is this shell, and the utilities are those that go with it. */
  readonly path: string
  /** Whether it is the one for tests of what shells have in common. Where there is time (DAVIT_TEST_THOROUGH=1) all are. */
  readonly inDepth: boolean
}

/** The shells of targets that are installed here, until the tests of the file are over; those that are not are told. */
export function installedShells(): readonly Shell[] {
  const shells: Shell[] = []
  const directories = mkdtempSync(join(tmpdir(), 'davit-shells-'))
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
