import { expect, test } from 'vitest'

import { sourceError } from '../src/source-error.ts'

const refusal = (code: string, path: string) => Object.assign(new Error(code), { code, syscall: 'open', path })

test.each([
  ['ENOENT', '/src', "cannot read the source '/src': no such file or directory", 'paths in models are relative'],
  ['EACCES', '/src', "cannot read the source '/src': permission denied", 'check its permissions'],
  ['EACCES', '/src/a/b', "cannot read the source '/src', at '/src/a/b': permission denied", 'check its permissions'],
])('sourceError() names what could not be read, and what to do: %s at %s', (code, path, message, hint) => {
  expect(sourceError('/src', refusal(code, path))).toMatchObject({ message, hint: expect.stringContaining(hint) })
})
