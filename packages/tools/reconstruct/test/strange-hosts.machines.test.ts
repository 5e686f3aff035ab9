import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { sampleOf } from '@davit/testing/effort'
import { removeTree } from '@davit/testing/scratch'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { executables } from '../../../../scripts/executables.ts'

const MISSING = sshdMissing()
const directory = mkdtempSync(join(tmpdir(), 'davit-strange-hosts-'))
const path = (name: string) => join(directory, name)
const PACKAGES = [
  '../',
  '../../lock/',
  '../../copy-closure/',
  '../../state/',
  '../../query/',
  '../../../compositions/env/',
  '../../logs/',
]

/** Tools that read from machines, and what they are asked to read. */
const TOOLS = {
  'davit-reconstruct': ['infrastructure.json'],
  'davit-lock': ['--status', 'manifest.json'],
  'davit-query': ['--status', '-f', 'services', 'infrastructure.json'],
  'davit-plan': ['--by', 'target', 'manifest.json'],
  'davit-logs': ['-i', 'infrastructure.json', 'web'],
  'davit-copy-closure': ['--from', '-t', 'there', '-i', 'infrastructure.json', `/store/${'0'.repeat(32)}-web`],
  'davit-copy-snapshots': ['--from', '-t', 'there', '-i', 'infrastructure.json', '-c', 'box', '-C', 'db'],
} as const
type ToolName = keyof typeof TOOLS

let sshd: TestSshd
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  if (MISSING !== undefined) return
  await bundleTools(executables(PACKAGES.map((name) => fileURLToPath(new URL(name, import.meta.url)))), directory)
  sshd = await startSshd({ lines: [`SetEnv DAVIT_STATE_DIR=${path('there')}`, `ForceCommand . ${path('answer')}`] })
  // What is read from a machine stays within this memory.
  environment = {
    ...sshd.environment,
    HOME: directory,
    DAVIT_STATE_DIR: path('state'),
    DAVIT_ANSWER_TIMEOUT: '2',
    NODE_OPTIONS: '--max-old-space-size=200',
  }
  const target = { properties: { hostname: sshd.address }, targetProperty: 'hostname', clientInterface: 'ssh' }
  const whole = { ...target, containers: {}, system: 's', numOfCores: 1 }
  writeFileSync(path('infrastructure.json'), JSON.stringify({ there: target }))
  const manifest = { profiles: {}, services: {}, serviceMappings: [], snapshotMappings: [] }
  const header = { document: 'manifest', version: 2, store: { kind: 'native', directory: '/store' } }
  writeFileSync(path('manifest.json'), JSON.stringify({ ...header, ...manifest, infrastructure: { there: whole } }))
})
afterAll(async () => {
  await sshd?.stop()
  removeTree(directory)
})
beforeEach(() => rmSync(path('reached'), { force: true }))

/** Sets what the host does in place of what davit asks for. */
function hostThat(script: string): void {
  writeFileSync(path('answer'), `: >'${path('reached')}'\n${script}\n`)
}

function start(tool: ToolName, changes: Readonly<Record<string, string>> = {}) {
  const program = path(`bin/${tool}.cjs`)
  const env = { ...environment, ...changes }
  const child = spawn(process.execPath, [program, ...TOOLS[tool]], { cwd: directory, env })
  const told = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (told[name] += text))
  child.stdin.end()
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, ...told }))
  return { child, told, ended }
}

const HONEST = 'sh -c "$SSH_ORIGINAL_COMMAND"'
const ESCAPE = String.raw`\x1b]0;owned\x07\x1b[2J\xe2\x80\xae`

describe.skipIf(MISSING !== undefined)(`a host that ${MISSING ?? ''}`, () => {
  const tools = Object.keys(TOOLS) as ToolName[]
  const NONSENSE = `${HONEST} | sed -u 's/^\\([0-9][0-9]*\\) [+=!].*/\\1 + ${ESCAPE}/'`
  const BEHAVIOURS = {
    'prints without end': 'exec yes "$(printf %s "davit $$")"',
    'prints one line without end': "exec tr '\\0' x </dev/zero",
    'draws on the screen': `printf '${ESCAPE}\\n' | tee /dev/stderr; exit 7`,
    'refuses with nonsense': `${HONEST} | sed -u 's/^\\([0-9][0-9]*\\) [+=!].*/\\1 ! ${ESCAPE} 1b5b324a/'`,
    'is of another version': `${HONEST} | sed -u 's/ + helper / + assistant 2 /'`,
  }

  test.each<readonly [string, ToolName, string]>([
    ...Object.entries(BEHAVIOURS).map(([what, script]) => [what, 'davit-reconstruct', script] as const),
    ...sampleOf(tools, 3).map((tool) => ['answers with nonsense', tool, NONSENSE] as const),
  ])('%s is given up by %s, with a message', async (_, tool, script) => {
    hostThat(script)
    const { status, stdout, stderr } = await start(tool).ended
    // A host may say what looks like a refusal, or like a shell that cannot start.
    expect([1, 69, 77]).toContain(status)
    expect(stdout).toBe(tool === 'davit-lock' ? 'there: cannot be asked\n' : '')
    expect(stderr).toMatch(/'there'|127\.0\.0\.1/)
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(stderr.length).toBeLessThan(3_000)
    expect(existsSync(path('reached'))).toBe(true)
  })

  test.each(sampleOf(tools, 3))(
    'says nothing is left at once when %s is interrupted, and nothing was changed',
    async (tool) => {
      hostThat('cat >/dev/null')
      const { child, ended } = start(tool, { DAVIT_ANSWER_TIMEOUT: '600' })
      await until(() => existsSync(path('reached')))
      child.kill('SIGINT')
      const { status, stdout, stderr } = await ended
      expect([status, stdout]).toEqual([130, ''])
      expect(stderr).toContain('interrupted by SIGINT [interrupted]\nhint: ')
      expect(existsSync(path('state'))).toBe(false)
    },
  )
})
