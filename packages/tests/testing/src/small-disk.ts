import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MANY = 100_000

/** Why a small disk is not possible here, if so. */
export const noSmallDisk: string | undefined = whyNot()

export interface SmallDisk {
  readonly directory: string
  /** Fills the disk, except for so many bytes. */
  fill(left?: number): void
  /** Leaves inodes for so many files. */
  fillFiles(left?: number): void
  free(): void
  remove(): void
}

/** Mounts a file system of so many bytes, until it is removed. */
export function smallDisk(bytes: number): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'davit-small-disk-'))
  mount(directory, bytes)
  const ballast = join(directory, '.ballast')
  return {
    directory,
    fill(left = 0) {
      rmSync(ballast, { force: true })
      const free = Number(spawnSync('stat', ['-f', '-c', '%a', directory], { encoding: 'utf8' }).stdout) * 4096
      writeFileSync(ballast, Buffer.alloc(Math.max(0, free - left)))
    },
    fillFiles: (left = 0) => remount(directory, usedFiles(directory) + left),
    free() {
      rmSync(ballast, { force: true })
      remount(directory, MANY)
    },
    remove() {
      // Lazily, since a process that uses it may be about to end.
      spawnSync('umount', ['-l', directory])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function usedFiles(directory: string): number {
  const { stdout } = spawnSync('stat', ['-f', '-c', '%c %d', directory], { encoding: 'utf8' })
  const [all = 0, free = 0] = stdout.split(' ').map(Number)
  return all - free
}

function remount(directory: string, files: number): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,nr_inodes=${files}`, directory], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cannot limit '${directory}' to ${files} files: ${stderr}`)
}

function mount(directory: string, bytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},nr_inodes=${MANY}`, 'tmpfs', directory]).status === 0
}

function whyNot(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'davit-small-disk-'))
  const isPossible = mount(directory, 4096)
  if (isPossible) spawnSync('umount', [directory])
  rmSync(directory, { recursive: true, force: true })
  if (isPossible) return undefined
  console.warn('SKIPPED: tests of full disks, which need root and a mount')
  return 'cannot mount a tmpfs'
}
