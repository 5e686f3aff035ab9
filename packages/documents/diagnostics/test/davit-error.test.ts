import { expect, test } from 'vitest'
import { DavitError, ExitStatus } from '../src/diagnostics.ts'

test('a DavitError has a message and, by default, status 1 and nothing else', () => {
  const error = new DavitError('no-record', "cannot find 'x'")
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({
    name: 'DavitError',
    code: 'no-record',
    message: "cannot find 'x'",
    exitStatus: 1,
    diagnostics: [],
  })
  expect(error.hint).toBeUndefined()
  expect('cause' in error).toBe(false)
})

test('a DavitError carries status, hint, diagnostics and cause', () => {
  const cause = new Error('why')
  const diagnostics = [{ severity: 'error', message: 'm' }] as const
  const error = new DavitError('no-record', 'm', {
    exitStatus: ExitStatus.badDocument,
    hint: 'look',
    diagnostics,
    cause,
  })
  expect(error).toMatchObject({ exitStatus: 65, hint: 'look', diagnostics, cause })
})
