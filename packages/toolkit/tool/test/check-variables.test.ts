import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { checkVariables } from '../src/check-variables.ts'
import { connectionEnvironment, secretEnvironment, sizeEnvironment } from '../src/environments.ts'
import { COORDINATOR_VARIABLE, stateEnvironment } from '../src/state-directory.ts'

const tool = {
  environment: {
    ...stateEnvironment,
    ...connectionEnvironment,
    ...secretEnvironment,
    ...sizeEnvironment,
    DAVIT_FETCH_LIMIT: '',
    DAVIT_FETCH_TIMEOUT: '',
    DAVIT_LOCK_LEASE: '',
  },
}
const checked = (environment: Readonly<Record<string, string>>) => () =>
  checkVariables(tool, { environment, privileged: false })

test.each([
  ['DAVIT_SIZE_LIMIT', 'much'],
  ['DAVIT_ANSWER_TIMEOUT', 'soon'],
  ['DAVIT_SECRET_TIMEOUT', '0'],
  ['DAVIT_FETCH_LIMIT', 'much'],
  ['DAVIT_FETCH_TIMEOUT', '-1'],
  ['DAVIT_LOCK_LEASE', '1m'],
  ['DAVIT_STATE_DIR', 'state'],
])('%s is refused before the tool begins, if it reads it', (variable, value) => {
  const refusal = { message: expect.stringContaining(variable), exitStatus: 64 }
  expect(checked({ [variable]: value })).toThrow(expect.objectContaining(refusal))
  expect(() => checkVariables({}, { environment: { [variable]: value }, privileged: false })).not.toThrow()
})

test.each(['DAVIT_STATE_DIR', COORDINATOR_VARIABLE])(
  '%s is refused where others could lead it elsewhere',
  (variable) => {
    const directory = scratchDirectory()
    const check = () =>
      checkVariables(
        { environment: { [variable]: '' } },
        { environment: { [variable]: join(directory, 'state') }, privileged: false },
      )
    expect(check).not.toThrow()
    chmodSync(directory, 0o777)
    expect(check).toThrow(expect.objectContaining({ code: 'cannot-create', exitStatus: 73 }))
  },
)

test('variables that are right, empty or unset are left to the tool', () => {
  for (const environment of [{}, { DAVIT_STATE_DIR: '' }, { DAVIT_SIZE_LIMIT: '20 GB', DAVIT_ANSWER_TIMEOUT: '5' }]) {
    expect(checked(environment)).not.toThrow()
  }
})
