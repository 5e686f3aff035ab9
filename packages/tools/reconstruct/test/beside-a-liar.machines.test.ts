import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { sampleOf } from '@davit/testing/effort'
import { removeTree } from '@davit/testing/scratch'
import { sshdMissing, startSshd, type TestSshd } from '@davit/testing/sshd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { executables } from '../../../../scripts/executables.ts'

const MISSING = sshdMissing()
const directory = mkdtempSync(join(tmpdir(), 'davit-liar-'))
const path = (name: string) => join(directory, name)
const HASH = '0'.repeat(32)
const PACKAGES = [
  '../',
  '../../activate/',
  '../../lock/',
  '../../state/',
  '../../query/',
  '../../logs/',
  '../../diagnose/',
  '../../doctor/',
  '../../capture-infrastructure/',
  '../../collect-garbage/',
]

interface Reader {
  readonly words: readonly string[]
  /** What it says of the honest target, whatever the other one does. */
  readonly shows: RegExp
}

/** All tools that read from many targets, and print what they have read. */
const READERS: Readonly<Record<string, Reader>> = {
  'davit-snapshots': { words: ['manifest.json'], shows: /^db .* good .* target .*$/m },
  'davit-clean-snapshots': {
    words: ['--dry-run', '--skip-unreachable', '--keep', '0', '--where', 'targets', 'manifest.json'],
    shows: /^remove 1 snapshot of box\/db on good /m,
  },
  'davit-query --status': { words: ['--status', '-f', 'json', 'infrastructure.json'], shows: /"service": "db"/ },
  'davit-lock': { words: ['--status', 'manifest.json'], shows: /^good: not locked$/m },
  'davit-logs': { words: ['-i', 'infrastructure.json', 'db'], shows: /hello from good/ },
  'davit-diagnose': {
    words: ['-i', 'infrastructure.json', '-S', 'db', '--show-mappings'],
    shows: /^good +box +active/m,
  },
  'davit-doctor': { words: ['infrastructure.json'], shows: /good/ },
  'davit-capture-infrastructure': { words: ['-i', 'infrastructure.json'], shows: /"?good"?/ },
  'davit-reconstruct': { words: ['--partial', '--prefer', 'records', 'infrastructure.json'], shows: /good/ },
  'davit-collect-garbage': {
    words: ['--dry-run', '-i', 'infrastructure.json'],
    shows: /^the coordinator: there is no garbage$/m,
  },
}

/** What runs on the host in place of what davit asks for. */
const HONEST = 'sh -c "$SSH_ORIGINAL_COMMAND"'
/** Changes what comes after the greeting and the facts. */
const spoiled = (program: string) => `${HONEST} | awk '${program}; fflush(); if (/^[0-9]+ =$/) seen = 1 }'`
const LIES: Readonly<Record<string, string>> = {
  'does not lie': HONEST,
  'sends nonsense': spoiled('seen && / =$/{ print $1 " + what is this \\033[2J\\007" } { print'),
  'ends in the middle': spoiled('seen { exit } { print'),
  'sends lines without end': spoiled('seen { while (1) print $1 " + what" } { print'),
  trickles: `${HONEST} | while IFS= read -r line; do
    case $line in *' =') while echo "\${line%=}+ x"; do sleep 0.2; done; exit ;; esac
    echo "$line"
  done`,
}

let sshd: TestSshd
let environment: Readonly<Record<string, string>>

const write = (name: string, text: string) => {
  mkdirSync(join(path(name), '..'), { recursive: true })
  writeFileSync(path(name), text)
}

beforeAll(async () => {
  if (MISSING !== undefined) return
  await bundleTools(executables(PACKAGES.map((name) => fileURLToPath(new URL(name, import.meta.url)))), directory)
  sshd = await startSshd({ lines: [`SetEnv DAVIT_STATE_DIR=${path('there')}`, `ForceCommand . ${path('answer')}`] })
  environment = {
    ...sshd.environment,
    HOME: directory,
    DAVIT_STATE_DIR: path('state'),
    DAVIT_STORE_DIR: path('store'),
    DAVIT_ANSWER_TIMEOUT: '1',
    NODE_OPTIONS: '--max-old-space-size=300',
  }
  const [profile, pkg] = ['profile', 'db'].map((name) => path(`store/${HASH}-${name}`)) as [string, string]
  write(`store/${HASH}-profile/modules/module`, '#!/bin/sh\necho hello from "$DAVIT_TARGET"\n')
  chmodSync(path(`store/${HASH}-profile/modules/module`), 0o755)
  write(`store/${HASH}-profile/modules/module.activities`, 'activate\ndeactivate\nstatus\nsnapshot\n')
  const local = { properties: { hostname: 'localhost' }, targetProperty: 'hostname', clientInterface: 'local' }
  const ssh = { properties: { hostname: sshd.address }, targetProperty: 'hostname', clientInterface: 'ssh' }
  const whole = { containers: { box: {} }, system: 'x86_64-linux', numOfCores: 1 }
  const good = { ...local, ...whole }
  const there = { ...ssh, ...whole }
  write('infrastructure.json', JSON.stringify({ good: local, there: ssh }))
  const mapping = { service: 'key', container: 'box', target: 'good' }
  const service = { name: 'db', pkg, type: 'module', dependsOn: [], connectsTo: [], providesContainers: {} }
  const deployed = {
    document: 'manifest',
    version: 2,
    store: { kind: 'native', directory: path('store') },
    profiles: { good: profile },
    services: { key: service },
    serviceMappings: [mapping],
    snapshotMappings: [{ ...mapping, component: 'db' }],
  }
  write('good.json', JSON.stringify({ ...deployed, infrastructure: { good } }))
  const both = { good: profile, there: profile }
  write('manifest.json', JSON.stringify({ ...deployed, profiles: both, infrastructure: { good, there } }))
  const { status, stderr } = await run('davit-activate', ['good.json'])
  if (status !== 0) throw new Error(stderr)
  const name = 'f'.repeat(64)
  write(`state/targets/good/dysnomia/snapshots/box/db/${name}/dump`, 'x')
  mkdirSync(path('state/targets/good/dysnomia/generations/box/db'), { recursive: true })
  symlinkSync(`../../../snapshots/box/db/${name}`, path('state/targets/good/dysnomia/generations/box/db/1'))
})
afterAll(async () => {
  await sshd?.stop()
  removeTree(directory)
})

async function run(tool: string, words: readonly string[]) {
  const child = spawn(process.execPath, [path(`bin/${tool}.cjs`), ...words], { cwd: directory, env: environment })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (said[name] += text))
  child.stdin.end()
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, ...said }
}

/** Lies that cannot be taken for an answer. */
const ALWAYS_NAMED = new Set(['ends in the middle', 'sends lines without end'])

/** The status of those that could not read all, unless it is that of an unreachable machine. */
const PARTIAL: Readonly<Record<string, number>> = {
  'davit-reconstruct': 0,
  'davit-clean-snapshots': 1,
  'davit-doctor': 2,
}

describe.skipIf(MISSING !== undefined)('of two targets, where one lies,', () => {
  const readAll = async (answer: string) => {
    writeFileSync(path('answer'), `${answer}\n`)
    const ran = sampleOf(Object.entries(READERS), 3).map(async ([name, { words }]) => {
      const [tool = '', ...more] = name.split(' ')
      return [name, await run(tool, [...more.filter((word) => !words.includes(word)), ...words])] as const
    })
    return Promise.all(ran)
  }

  test.each(Object.keys(LIES))('the other is read while it %s', async (lie) => {
    for (const [name, { status, stdout, stderr }] of await readAll(LIES[lie] ?? '')) {
      const said = stdout + stderr
      expect.soft([name, said]).toEqual([name, expect.stringMatching(READERS[name]?.shows ?? /$^/)])
      // An internal error is never the answer to what a machine says.
      expect.soft([name, said]).not.toEqual([name, expect.stringContaining('internal error')])
      // oxlint-disable-next-line no-control-regex
      expect.soft([name, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(said)]).toEqual([name, false])
      expect.soft([name, stderr.length < 3_000]).toEqual([name, true])
      // It is asked by a script of its own, whose answer is not that of a helper.
      if (name === 'davit-capture-infrastructure' || !ALWAYS_NAMED.has(lie)) continue
      expect.soft([name, said]).toEqual([name, expect.stringMatching(/\bthere\b/)])
      expect.soft([name, status]).toEqual([name, PARTIAL[name] ?? 69])
    }
  })
})
