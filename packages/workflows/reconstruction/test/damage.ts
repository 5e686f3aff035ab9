import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'

import { removeTree } from '@davit/testing/scratch'

/** Something that happened to a file; `sibling` is the same file of another target. */
export type Damage = (file: string, sibling: string) => void

const rewritten =
  (change: (text: string) => string | Uint8Array): Damage =>
  (file) =>
    writeFileSync(file, change(readFileSync(file, 'utf8')))

const replaced =
  (replace: (file: string) => void): Damage =>
  (file) => {
    removeTree(file)
    replace(file)
  }

/** What can happen to a file, a directory or a link, or be done to it. */
export const REPLACEMENTS: Readonly<Record<string, Damage>> = {
  'is gone': (file) => removeTree(file),
  'is a directory': replaced((file) => mkdirSync(file)),
  'is an empty file': replaced((file) => writeFileSync(file, '')),
  'is a link to nothing': replaced((file) => symlinkSync('/nowhere/at/all', file)),
  'is a link to itself': replaced((file) => symlinkSync(file, file)),
  'is a link to another file': replaced((file) => symlinkSync('/etc/passwd', file)),
  'is a device that never ends': replaced((file) => symlinkSync('/dev/zero', file)),
  'is a pipe to which nobody writes': replaced((file) => void spawnSync('mkfifo', [file])),
}

/** What can happen to the content of a file. */
export const ALTERATIONS: Readonly<Record<string, Damage>> = {
  'was cut off in the middle': rewritten((text) => text.slice(0, text.length / 2)),
  'was cut off before its last byte': rewritten((text) => text.trimEnd().slice(0, -1)),
  'is there twice': rewritten((text) => text + text),
  'has a flipped bit at its beginning': rewritten((text) => flipped(text, 3)),
  'has a flipped bit in the middle': rewritten((text) => flipped(text, middleOf(text))),
  'consists of zeros': rewritten((text) => '\0'.repeat(text.length)),
  'is not UTF-8': rewritten((text) => Buffer.concat([Buffer.from(text), Buffer.of(0xff, 0xfe)])),
  'is of a future version': rewritten((text) => text.replace(/version="2"|format 1/, (version) => `${version}9`)),
  'contains control characters': rewritten((text) => text.replaceAll(/database|active/g, '$&\u001b[2J\u0007\u202e')),
  'names paths out of the tree': rewritten((text) => text.replaceAll(/key-|process/g, '../../$&')),
  'is nested without end': rewritten((text) => `${text.slice(0, 60)}${'<a>'.repeat(100_000)}${'{'.repeat(100_000)}`),
  'is larger than anything sensible': (file) => truncateSync(file, 9_000_000),
  'has a line without end': rewritten((text) => `${text.trimEnd()}${'x'.repeat(500_000)}\n`),
  'is that of another target': (file, sibling) => writeFileSync(file, readFileSync(sibling)),
}

/** A store path near the middle, if there is one, beyond the directory for temporary files, which is another one each time. */
function middleOf(text: string): number {
  const middle = text.length / 2
  return Math.max(middle, text.indexOf('0'.repeat(32), middle))
}

function flipped(text: string, at: number): Uint8Array {
  const bytes = Buffer.from(text)
  const index = Math.floor(at)
  bytes[index] = (bytes[index] ?? 0) ^ 4
  return bytes
}
