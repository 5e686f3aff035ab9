import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import { type Format, Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { fits, type Schema } from '@davit/testing/json-schema'
import { scratchDirectory } from '@davit/testing/scratch'
import type { ToolContext } from '@davit/tool'
import { parseArguments } from '@davit/tool/testing'
import { beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/lock.ts'
import { manifestWith } from './manifests.ts'

let directory: string
beforeEach(() => void (directory = scratchDirectory()))

const LOCKS = new URL('../../../../docs/formats/schemas/locks.json', import.meta.url)
const schema = JSON.parse(readFileSync(LOCKS, 'utf8')) as Schema
const holderOn = (target: string) => join(directory, 'state/targets', target, 'lock/default/holder')
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g

/** Runs davit-lock, with a manifest on standard input where `-` names it. */
async function davitLock(manifest: string, ...argv: readonly string[]) {
  const environment = { PATH: '/usr/bin:/bin', HOME: directory, DAVIT_STATE_DIR: join(directory, 'state') }
  const request = parseArguments(tool, { argv, environment })
  if (request.kind !== 'run') throw new Error('not a run')
  const told = { stdout: '', warnings: [] as string[], journalled: 0 }
  const input = { text: manifest, file: '<stdin>' }
  const context = {
    args: request.args,
    environment,
    workingDirectory: directory,
    privileged: false,
    signal: new AbortController().signal,
    print: async (text: string) => void (told.stdout += text),
    report: (event: ReportEvent) =>
      void (event.kind === 'warning' && told.warnings.push(`[${event.target}] ${event.message}`)),
    readDocument: async <Value>(format: Format<Value>) => ({
      ...input,
      value: parseDocument(format, manifest, input),
    }),
    journal: () => void (told.journalled += 1),
  }
  const status = await tool.run(context as unknown as ToolContext<never>)
  return { status, ...told }
}

const anonymous = ({ stdout }: { readonly stdout: string }) =>
  stdout.replaceAll(TIME, 'TIME').replaceAll(/token [0-9a-f]{32}/g, 'token TOKEN')

describe('davit-lock --status', () => {
  test('tells who holds the lock on each target, and changes nothing', async () => {
    const { user, host, parent } = processIdentity()
    await davitLock(manifestWith('t2'), '-')
    const before = readFileSync(holderOn('t2'), 'utf8')
    const told = await davitLock(manifestWith('t1', 't2'), '--status', '-')
    expect([told.status, told.warnings, told.journalled]).toEqual([0, [], 0])
    const who = `${user}@${host} (process ${parent.pid})`
    expect(anonymous(told)).toBe(
      `t1: not locked\nt2: locked by ${who}, which is alive; since TIME; until TIME unless it is renewed; token TOKEN\n`,
    )
    expect(readFileSync(holderOn('t2'), 'utf8')).toBe(before)
  })

  test('tells the same as JSON', async () => {
    const since = Math.floor(Date.now() / 1000)
    await davitLock(manifestWith('t2'), '-', '--lock-lease', '100')
    const { stdout } = await davitLock(manifestWith('t1', 't2'), '--status', '--format=json', '-')
    const document = JSON.parse(stdout) as { readonly targets: readonly { readonly since?: string; until?: string }[] }
    expect(fits(schema, document)).toBe(true)
    const { user, host, parent } = processIdentity()
    const text = expect.any(String) as string
    expect(document).toEqual({
      document: 'locks',
      version: 1,
      profile: 'default',
      targets: [
        { target: 't1', state: 'free' },
        {
          target: 't2',
          state: 'held',
          holder: 'alive',
          isOver: false,
          owner: { user, host, pid: parent.pid },
          token: text,
          since: text,
          until: text,
        },
      ],
    })
    const [, held] = document.targets
    expect(Date.parse(held?.until ?? '') - Date.parse(held?.since ?? '')).toBe(100_000)
    expect(Date.parse(held?.since ?? '') / 1000 - since).toBeGreaterThanOrEqual(0)
  })

  test.each([
    ['a holder that has ended', [/("pid":)\d+/, '$1999999999'], /which has ended: whoever asks next/],
    ['a holder of before a restart', [/("bootId":")[^"]*/, '$1earlier'], /which has ended: whoever asks next/],
    [
      'a holder elsewhere',
      [/"machineId":"[^"]*","bootId":"[^"]*"/, '"machineId":"other","bootId":"other"'],
      /\(process \d+\), of which it is not known here whether it is alive/,
    ],
    ['an owner that nobody can read', [/^owner .*/m, 'owner x'], /^t1: locked by somebody, of which/],
    [
      'a lease that is over',
      [/^renewed .*/m, 'renewed 1700000000'],
      /lease was over at 2023-11-14 22:14:20 UTC: whoever/,
    ],
    ['a lease that has not begun', [/^renewed .*/m, 'renewed x'], /its lease begins when somebody else asks/],
    ['a time that is none', [/^since .*/m, 'since x'], /since when is unknown/],
    ['a token that is none', [/^token .*/m, 'token \u001b[2J'], /; token unreadable$/m],
  ] as const)('tells of %s', async (_, [pattern, replacement], expected) => {
    await davitLock(manifestWith('t1'), '-')
    const held = readFileSync(holderOn('t1'), 'utf8')
    expect(held).toMatch(pattern)
    writeFileSync(holderOn('t1'), held.replace(pattern, replacement))
    expect((await davitLock(manifestWith('t1'), '--status', '-')).stdout).toMatch(expected)
  })

  test('says once that whoever asks next gets the lock', async () => {
    await davitLock(manifestWith('t1'), '-')
    const held = readFileSync(holderOn('t1'), 'utf8')
    writeFileSync(
      holderOn('t1'),
      held.replace(/("pid":)\d+/, '$1999999999').replace(/^renewed .*/m, 'renewed 1700000000'),
    )
    const { stdout } = await davitLock(manifestWith('t1'), '--status', '-')
    expect(stdout.match(/whoever asks next/g)).toHaveLength(1)
    expect(stdout).toContain('; its lease was over at 2023-11-14 22:14:20 UTC; token ')
  })

  test('names a target that cannot be reached, and lists the others', async () => {
    const manifest = manifestWith('t1', 't2').replace(
      '"hostname":"localhost"},"containers":{},"system":"x86_64-linux","numOfCores":1,"clientInterface":"local"',
      '"hostname":"host.invalid"},"containers":{},"system":"x86_64-linux","numOfCores":1,"clientInterface":"ssh"',
    )
    const told = await davitLock(manifest, '--status', '-')
    expect([told.status, told.stdout]).toEqual([69, 't1: cannot be asked\nt2: not locked\n'])
    expect(told.warnings).toEqual([expect.stringMatching(/^\[t1\] cannot tell who holds the lock: .*host\.invalid/)])
    const json = JSON.parse((await davitLock(manifest, '--status', '--format=json', '-')).stdout) as object
    expect(fits(schema, json)).toBe(true)
    expect(json).toMatchObject({ targets: [{ target: 't1', state: 'unknown' }, { state: 'free' }] })
  })

  test('asks the targets of the current generation without a manifest, and says if there is none', async () => {
    await expect(davitLock('', '--status')).rejects.toMatchObject({ code: 'usage', exitStatus: 64 })
    const text = manifestWith('t3')
    const place = deploymentPlace(join(directory, 'state'), 'default' as ProfileName)
    const origin = { time: new Date(), user: 'me', host: 'here' }
    await addGeneration(place, { manifest: parseDocument(Manifest, text, { file: 'm' }), text, origin })
    expect((await davitLock('', '--status')).stdout).toBe('t3: not locked\n')
  })

  test('asks the targets of an infrastructure model', async () => {
    const file = join(directory, 'infrastructure.yaml')
    writeFileSync(file, 't4: { properties: { hostname: localhost }, clientInterface: local }\n')
    expect((await davitLock('', '--status', '-i', file)).stdout).toBe('t4: not locked\n')
    await expect(davitLock(manifestWith('t1'), '--status', '-i', file, '-')).rejects.toMatchObject({ code: 'usage' })
    await expect(davitLock(manifestWith('t1'), '-i', file, '-')).rejects.toMatchObject({ code: 'usage' })
  })

  test('runs no command', async () => {
    const refused = davitLock(manifestWith('t1'), '--status', '-', '--', 'true')
    await expect(refused).rejects.toBeInstanceOf(DavitError)
    await expect(refused).rejects.toMatchObject({ code: 'usage' })
  })
})
