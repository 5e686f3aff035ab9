import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { AS_NOBODY } from '@davit/testing/nobody'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'

const SOURCE = fileURLToPath(new URL('../src/coordinator/deployment-checks.ts', import.meta.url))

const compile = programCompiler()
let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-refused-'))
  mkdirSync(join(directory, 'closed/coordinator/default'), { recursive: true })
  for (const name of ['', 'closed/coordinator', 'closed/coordinator/default']) chmodSync(join(directory, name), 0o755)
  chmodSync(join(directory, 'closed'), 0)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** What an account that owns nothing there is told of a deployment. */
async function toldOf(place: string): Promise<readonly string[]> {
  const terms = JSON.stringify({ place: join(directory, place), profile: 'default', here: {} })
  const script = `import { deploymentChecks } from ${JSON.stringify(SOURCE)}
console.log(JSON.stringify((await deploymentChecks(${terms})).map(({ severity, text }) => severity + ': ' + text)))`
  const node = [process.execPath, await compile(script)]
  const [program = '', ...rest] = [...(process.getuid?.() === 0 ? AS_NOBODY : []), ...node]
  const { stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as readonly string[]
}

test('a directory that cannot be entered is reported once, whatever is below it', async () => {
  const closed = join(directory, 'closed')
  expect(await toldOf('closed/coordinator/default')).toEqual([`error: this account may not read '${closed}'`])
  expect(await toldOf('closed')).toEqual([`error: this account may not read '${closed}'`])
})

test('a missing directory gives no finding', async () => {
  expect(await toldOf('none/coordinator/default')).toEqual(["ok: nothing is deployed as 'default'"])
})
