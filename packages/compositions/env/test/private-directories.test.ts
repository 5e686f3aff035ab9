import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processReference } from '@davit/process'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { privateDirectories } from '../src/private-directories.ts'

const IS_ROOT = process.getuid?.() === 0

/** Name of what a run that is gone has left, as anybody may call a directory. */
const LEFT = `davit-env.${processReference().namespace},default,4194999,5.abcdef`

test('what a killed run has left is removed', () => {
  const place = scratchDirectory()
  mkdirSync(join(place, LEFT, 'a'), { recursive: true })
  privateDirectories(place, 'other').sweep()
  expect(readdirSync(place)).toStrictEqual([LEFT])
  privateDirectories(place, 'default').sweep()
  expect(readdirSync(place)).toStrictEqual([])
})

type Change = (path: string) => void

const CHANGES: readonly (readonly [kind: string, change: Change])[] = [
  ['a link', (path) => symlinkSync('elsewhere', path)],
  ['a directory that others may write to', (path) => chmodSync(path, 0o777)],
]
const OF_OTHERS = ['a directory of another user', (path: string) => chownSync(path, NOBODY.uid, NOBODY.gid)] as const

test.each([...CHANGES, ...(IS_ROOT ? [OF_OTHERS] : [])])(
  '%s of that name is not removed: what is in it may lead anywhere',
  (kind, change) => {
    const place = scratchDirectory()
    mkdirSync(join(place, 'elsewhere'))
    writeFileSync(join(place, 'elsewhere/file'), '')
    if (kind !== 'a link') mkdirSync(join(place, LEFT))
    change(join(place, LEFT))
    privateDirectories(place, 'default').sweep()
    expect(readdirSync(place).toSorted()).toStrictEqual([LEFT, 'elsewhere'])
    expect(existsSync(join(place, 'elsewhere/file'))).toBe(true)
  },
)

test('no directory is made where others could replace it', async () => {
  const place = scratchDirectory()
  chmodSync(place, 0o777)
  const used = privateDirectories(place, 'default').use(async () => {})
  await expect(used).rejects.toMatchObject({
    code: 'cannot-create',
    hint: expect.stringContaining('chmod go-w') as string,
  })
  expect(readdirSync(place)).toStrictEqual([])
})
