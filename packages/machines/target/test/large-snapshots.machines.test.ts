import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { shellsInDepth } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { Keeper } from './keeper.ts'
import { closeScenes } from './scene.ts'

afterAll(closeScenes)

const directory = mkdtempSync(join(tmpdir(), 'davit-large-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Sizes of files that are hashed in two halves, two files in each. */
const SIZES = [11_000_000, 12_000_000, 13_000_000, 14_000_000]

function makeFiles(keeper: Keeper): void {
  for (const size of SIZES) {
    writeFileSync(keeper.path(`file ${size}`), '')
    truncateSync(keeper.path(`file ${size}`), size)
  }
}

describe.each(shellsInDepth())('a large state on a machine with $name', (shell) => {
  /** Returns a machine on which a program takes the place of a utility, which it finds in `$PATH`. */
  async function keeperWith(utility: string, script: string): Promise<Keeper> {
    const programs = mkdtempSync(join(directory, 'programs-'))
    writeFileSync(join(programs, 'openssl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    writeFileSync(join(programs, utility), `#!/bin/sh\nPATH='${shell.path}'\n${script}\n`, { mode: 0o755 })
    const keeper = await Keeper.open({ ...shell, path: `${programs}:${shell.path}` })
    makeFiles(keeper)
    return keeper
  }

  test('is listed with the checksum of each file', async () => {
    const keeper = await Keeper.open(shell)
    makeFiles(keeper)
    expect(await keeper.perform('snapshot')).toMatchObject({ kind: 'succeeded' })
    const [name = ''] = await keeper.names()
    const listing = readFileSync(join(keeper.snapshots, 'snapshots/process/web', name, 'listing'), 'utf8')
    for (const size of SIZES) {
      const sum = createHash('sha256').update(Buffer.alloc(size)).digest('hex')
      expect(listing).toMatch(new RegExp(`^${sum} .*/file ${size}$`, 'm'))
    }
    rmSync(keeper.data, { recursive: true })
    expect(await keeper.perform('restore')).toMatchObject({ kind: 'succeeded' })
    expect(readdirSync(keeper.data)).toHaveLength(SIZES.length)
  })

  // The shell of busybox finds its own utilities first.
  test.skipIf(shell.name === 'busybox').each([
    [
      'a file of the first half cannot be hashed',
      'sha256sum',
      'sha256sum "$@"; case "$*" in *11000000*) exit 1 ;; esac',
    ],
    [
      'a file of the second half cannot be hashed',
      'sha256sum',
      'sha256sum "$@"; case "$*" in *14000000*) exit 1 ;; esac',
    ],
    ['the archive cannot be written', 'tar', 'tar "$@"; case $* in *--version*) ;; *) exit 1 ;; esac'],
    ['the archive cannot be compressed', 'gzip', 'gzip "$@"; exit 1'],
  ])('is not kept if %s', async (_, utility, script) => {
    const keeper = await keeperWith(utility, script)
    mkdirSync(keeper.path('directory'))
    expect(await keeper.perform('snapshot', { compressor: 'gzip' })).toMatchObject({ kind: 'failed' })
    expect(await keeper.names()).toEqual([])
    expect(readdirSync(join(keeper.snapshots, 'incoming'))).toEqual([])
  })
})
