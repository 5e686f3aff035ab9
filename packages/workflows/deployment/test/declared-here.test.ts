import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { declaredHere } from '../src/state/declared-here.ts'

let directory: string

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'davit-declared-')))
  write('store/box', '')
  write('store/box.activities', 'activate\nrestore-first\n')
  mkdirSync(join(directory, 'profile/modules'), { recursive: true })
  symlinkSync(join(directory, 'store/box'), join(directory, 'profile/modules/box'))
  write('provider/libexec/dysnomia/box', '')
  write('provider/libexec/dysnomia/box.activities', 'snapshot\n')
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

test.each([
  ['the profile', 'D/profile/modules/box', 'activate restore-first'],
  ['a provider', 'D/provider/D/profile/modules/box', 'snapshot'],
  ['the profile if the provider has none', 'D/none/D/profile/modules/box', 'activate restore-first'],
  ['none, if there is none here', 'D/profile/modules/other', ''],
  ['none, if the provider has none either', 'D/none/D/profile/modules/other', ''],
])('declaredHere() knows the module of %s', async (_, reference, declared) => {
  const found = await declaredHere(reference.replaceAll('D', directory))
  expect(found.join(' ').trim()).toBe(declared)
})
