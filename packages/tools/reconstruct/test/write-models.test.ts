import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { RecoveredModels } from '@davit/recovery'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { MODEL_LANGUAGES } from '../src/model-languages.ts'
import { writeModels } from '../src/write-models.ts'

const EMPTY: RecoveredModels = { services: new Map(), infrastructure: new Map(), distribution: new Map(), losses: [] }
const EXTENSIONS = { yaml: 'yaml', typescript: 'ts', nix: 'nix' } as const

test.each(MODEL_LANGUAGES)('writeModels() in %s makes directories, and replaces no file', async (language) => {
  const directory = join(scratchDirectory(), 'a/b')
  const names = ['services', 'infrastructure', 'distribution'].map((name) => `${name}.${EXTENSIONS[language]}`)
  expect(await writeModels(EMPTY, language, directory)).toEqual(names.map((name) => join(directory, name)))
  await expect(writeModels(EMPTY, language, directory)).rejects.toMatchObject({
    code: 'would-overwrite',
    exitStatus: 73,
    message: `${names.map((name) => `'${join(directory, name)}'`).join(', ')} would be overwritten`,
  })
})

test('writeModels() writes none of the files if one is there', async () => {
  const directory = scratchDirectory()
  writeFileSync(join(directory, 'distribution.yaml'), 'mine')
  await expect(writeModels(EMPTY, 'yaml', directory)).rejects.toMatchObject({ code: 'would-overwrite' })
  expect(readdirSync(directory)).toEqual(['distribution.yaml'])
  expect(readFileSync(join(directory, 'distribution.yaml'), 'utf8')).toBe('mine')
})
