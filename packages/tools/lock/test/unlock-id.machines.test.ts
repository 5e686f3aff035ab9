import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import type { Tool } from '@davit/tool'
import { runHere } from '@davit/tool/testing'
import { beforeEach, expect, test } from 'vitest'

import { tool as lock } from '../src/lock.ts'
import { tool as unlock } from '../src/unlock.ts'
import { manifestWith } from './manifests.ts'

let directory: string
let token: string

const holderOn = (target: string) => join(directory, 'state/targets', target, 'lock/default/holder')

/** Runs a tool with a manifest on standard input, and returns what it printed. */
async function run(tool: Tool, manifest: string, ...argv: readonly string[]): Promise<string> {
  const environment = { HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') }
  const { status, stdout, stderr } = await runHere(tool, argv, { environment, directory, input: manifest })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

beforeEach(async () => {
  directory = scratchDirectory()
  await run(lock, manifestWith('t1'), '-')
  token = /^token (.*)$/m.exec(readFileSync(holderOn('t1'), 'utf8'))?.[1] ?? ''
})

test('davit-unlock --id frees a lock on the targets of an infrastructure model', async () => {
  const file = join(directory, 'infrastructure.yaml')
  writeFileSync(file, 't1: { properties: { hostname: localhost }, clientInterface: local }\n')
  expect(await run(unlock, '', '--id', token, '-i', file)).toBe('')
  expect(existsSync(holderOn('t1'))).toBe(false)
})

test('davit-unlock --id --deployed frees a lock on the targets of the current generation', async () => {
  await expect(run(unlock, '', '--id', token, '--deployed')).rejects.toThrow('[no-deployment]')
  const text = manifestWith('t1')
  const place = deploymentPlace(join(directory, 'state'), 'default' as ProfileName)
  const origin = { time: new Date(), user: 'me', host: 'here' }
  await addGeneration(place, { manifest: parseDocument(Manifest, text, { file: 'm' }), text, origin })
  expect(await run(unlock, '', '--id', token, '--deployed')).toBe('')
  expect(existsSync(holderOn('t1'))).toBe(false)
})

test.each([
  ['--deployed without --id', () => ['--deployed', '-']],
  ['a model without --id', () => ['-i', 'infrastructure.yaml', '-']],
  ['a manifest and --deployed', () => ['--id', token, '--deployed', '-']],
  ['a manifest and a model', () => ['--id', token, '-i', 'infrastructure.yaml', '-']],
  ['a model and --deployed', () => ['--id', token, '-i', 'infrastructure.yaml', '--deployed']],
])('davit-unlock refuses %s', async (_, words) => {
  await expect(run(unlock, manifestWith('t1'), ...words())).rejects.toThrow('[usage]')
  expect(existsSync(holderOn('t1'))).toBe(true)
})
