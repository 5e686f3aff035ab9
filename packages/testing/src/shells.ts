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

/** The shells of targets that are installed here, until the tests of the file are over. */
export function installedShells(): readonly Shell[] {
  const shells: Shell[] = []
  const directories = mkdtempSync(join(tmpdir(), 'davit-shells-'))
  afterAll(() => rmSync(directories, { recursive: true, force: true }))
  for (const name of ['dash', 'bash']) {
    if (spawnSync(`/bin/${name}`, ['-c', ':']).status !== 0) continue
    const directory = join(directories, name)
    mkdirSync(directory)
    symlinkSync(`/bin/${name}`, join(directory, 'sh'))
    const inDepth = isThorough || shells.length === 0
    shells.push({ name, program: join(directory, 'sh'), path: `${directory}:/usr/bin:/bin`, inDepth })
  }
  const applets = spawnSync('busybox', ['--list'], { encoding: 'utf8' })
  if (applets.status === 0) {
    const directory = join(directories, 'busybox')
    mkdirSync(directory)
    for (const applet of applets.stdout.trim().split('\n')) {
      if (applet !== 'busybox') symlinkSync('/bin/busybox', join(directory, applet))
    }
    const inDepth = isThorough || shells.length === 0
    shells.push({ name: 'busybox', program: join(directory, 'sh'), path: directory, inDepth })
  }
  return shells
}
