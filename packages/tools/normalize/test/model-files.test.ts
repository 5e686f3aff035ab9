import { expect, test } from 'vitest'

import { modelFilesIn } from '../src/model-files.ts'

const SOURCES = [
  { role: 'services' as const, file: '/s.yaml', text: 'ü' },
  { file: '/a.ts', text: '' },
]

test('models are kept with their texts, or by their checksums alone if they are too long together', () => {
  const files = [
    {
      role: 'services',
      file: '/s.yaml',
      bytes: 2,
      sha256: '607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f',
    },
    { file: '/a.ts', bytes: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  ]
  expect(modelFilesIn(SOURCES, 2)).toEqual(files.map((file, at) => ({ ...file, text: SOURCES[at]?.text })))
  expect(modelFilesIn(SOURCES, 1)).toEqual(files)
})
