import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { executables, toolOf } from '../../../../scripts/executables.ts'
import { executeTool } from '../src/execute-tool.ts'
import { createInterruption } from '../src/interruption.ts'

const MANIFEST = `{ "document": "manifest", "version": 2, "profiles": {}, "services": {}, "infrastructure": {}, "serviceMappings": [], "snapshotMappings": [] }`
const NOT_NAMES = ['-x', ' ', 'a b', 'a\nb', '../x', '$(touch canary)', 'ä', 'x'.repeat(100_000)]

const directory = mkdtempSync(join(tmpdir(), 'davit-options-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function execute(tool: Parameters<typeof executeTool>[0], argv: readonly string[], environment = {}) {
  const said: Buffer[] = []
  const sink = () => new Writable({ write: (chunk: Buffer, _, done) => (said.push(chunk), done()) })
  const interruption = createInterruption({ stop: () => {}, now: () => 0 })
  const host = {
    argv,
    executable: '',
    environment: { DAVIT_STATE_DIR: directory, DAVIT_STORE_DIR: join(directory, 'store'), ...environment },
    workingDirectory: directory,
    privileged: false,
    input: Readable.from([Buffer.from(MANIFEST)]),
    output: sink(),
    errors: sink(),
    running: { tool: '' },
  }
  const status = await executeTool(tool, { host, interruption })
  return { status, said: Buffer.concat(said).toString() }
}

const tools = await Promise.all(executables().map(toolOf))

describe.each(
  tools.filter(({ options }) => options?.['profile'] !== undefined).map((tool) => [tool.name, tool] as const),
)('%s', (name, tool) => {
  const required = Object.values(tool.operands ?? {}).filter(
    (operand) => typeof operand === 'object' && operand.kind === 'required',
  )
  const options = Object.entries(tool.options ?? {}).filter(([, option]) => 'required' in option)
  const command = [
    ...options.map(([option]) => `--${option}=x`),
    ...(name === 'davit-lock' ? ['--', 'true'] : required.map(() => 'file')),
  ]

  test('refuses an invalid name for a deployment before it does anything, and says it in a line', async () => {
    for (const profile of NOT_NAMES) {
      for (const outcome of [
        await execute(tool, [`--profile=${profile}`, ...command]),
        await execute(tool, command, { DAVIT_PROFILE: profile }),
      ]) {
        expect(outcome.status).toBe(64)
        expect(outcome.said).toMatch(
          /^davit-[a-z-]+: '.{1,90}' is not a valid name for a deployment: a profile name must /,
        )
        expect(outcome.said.length).toBeLessThan(500)
      }
    }
    expect(readdirSync(directory)).toEqual([])
  })
})

test.each([
  ['davit-manifest', 'DAVIT_SIZE_LIMIT', 'much'],
  ['davit-activate', 'DAVIT_ANSWER_TIMEOUT', 'soon'],
  ['davit-distribute', 'DAVIT_STATE_DIR', 'state'],
])('%s refuses a wrong %s before it reads anything, once', async (name, variable, value) => {
  const tool = tools.find((one) => one.name === name)!
  const { status, said } = await execute(tool, ['no-such-file'], { [variable]: value })
  expect([status, said.split(variable).length - 1]).toEqual([64, 1])
})
