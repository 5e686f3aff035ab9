import { expect, test } from 'vitest'

import { evaluationError } from '../src/evaluation-error.ts'

const program = { file: '/glue.nix', input: {}, expressions: new Map<string, string>(), showTrace: false }

test.each([
  ["could not set permissions on '/nix/var/nix/profiles/per-user' to 755: Operation not permitted", 'cannot-use-store'],
  ["cannot connect to socket at '/nix/var/nix/daemon-socket/socket': Permission denied", 'cannot-use-store'],
  ["opening lock file '/nix/store/x.lock': Permission denied", 'cannot-use-store'],
  ["opening file '/home/me/services.nix': Permission denied", 'invalid-model'],
])('evaluationError() ends with 77 where Nix is refused permission: %s', (message, code) => {
  const log = { error: { message, text: message, trace: [] }, traces: [], warnings: [], others: [] }
  expect(evaluationError(log, { program, exitCode: 1 })).toMatchObject({
    code,
    exitStatus: 77,
    diagnostics: [{ message }],
  })
})

test('evaluationError() ends with 65 for anything else that a model says', () => {
  const message = "evaluation aborted with the following error message: 'permission denied by policy'"
  const log = { error: { message, text: message, trace: [] }, traces: [], warnings: [], others: [] }
  expect(evaluationError(log, { program, exitCode: 1 })).toMatchObject({ code: 'invalid-model', exitStatus: 65 })
})
