import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { fileOutput } from '../src/file-output.ts'
import { cannotWrite } from '../src/result-output.ts'

test('a result is not written to a directory, and the hint asks for a file', async () => {
  const output = fileOutput(scratchDirectory())
  await output.print('result')
  await expect(output.finish()).rejects.toMatchObject({
    code: 'cannot-write',
    exitStatus: 73,
    hint: 'name a file: this is a directory',
  })
})

test.each([
  ['ENOSPC', 'free some space'],
  ['EACCES', 'permissions'],
  ['EIO', 'run the same command again'],
])('the hint fits %s', (code, hint) => {
  expect(cannotWrite(Object.assign(new Error('refused'), { code, syscall: 'write' }), 'x').hint).toContain(hint)
})
