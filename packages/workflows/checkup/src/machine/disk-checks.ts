import { renderBytes } from '@davit/diagnostics'
import type { Disk, Space } from '@davit/target'

import { type Check, fine, found } from '../check.ts'

/** Looks at the space on disks, once on each: several directories may share one. */
export function diskChecks(disks: readonly Disk[]): readonly Check[] {
  const known = new Map<string, Disk & { readonly paths: string[] }>()
  for (const disk of disks) {
    if (disk.bytes === undefined) continue
    const same = JSON.stringify([disk.device, disk.bytes.total])
    const first = known.get(same)
    if (first === undefined) known.set(same, { ...disk, paths: [disk.path] })
    else first.paths.push(disk.path)
  }
  return [...known.values()].flatMap(({ bytes, files, paths }) =>
    bytes === undefined ? [] : [diskCheck({ bytes, files, where: paths.join(', ') })],
  )
}

interface Room {
  readonly bytes: Space
  readonly files: Space | undefined
  readonly where: string
}

function diskCheck({ bytes, files, where }: Room): Check {
  if (bytes.left < LEAST_BYTES || (files !== undefined && files.left < LEAST_FILES)) {
    const what = bytes.left < LEAST_BYTES ? 'space' : 'room for more files'
    return found('disk', 'error', {
      text: `no ${what} is left for ${where}: ${roomText(bytes, files)}`,
      means: 'nothing can be deployed, and services that write there fail',
      remedy: REMEDY,
    })
  }
  if (isScarce(bytes, PLENTY_OF_BYTES) || (files !== undefined && isScarce(files, PLENTY_OF_FILES))) {
    return found('disk', 'warning', {
      text: `little space is left for ${where}: ${roomText(bytes, files)}`,
      means: 'the next deployments may fill the disk',
      remedy: REMEDY,
    })
  }
  return fine('disk', `${renderBytes(bytes.left)} of ${renderBytes(bytes.total)} free for ${where}`)
}

/** Less than one part in twenty, unless that is a lot. */
function isScarce({ total, left }: Space, plenty: number): boolean {
  return left < total / 20 && left < plenty
}

const LEAST_BYTES = 50e6
const LEAST_FILES = 100
const PLENTY_OF_BYTES = 10e9
const PLENTY_OF_FILES = 100_000
const REMEDY = 'davit-collect-garbage --deployed'

function roomText(bytes: Space, files: Space | undefined): string {
  const count = files === undefined ? '' : ` and ${files.left} of ${files.total} files`
  return `${renderBytes(bytes.left)} of ${renderBytes(bytes.total)}${count}`
}
