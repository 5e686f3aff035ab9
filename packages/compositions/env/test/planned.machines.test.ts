import { readFileSync, writeFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { davitEnv } from './scene.ts'

const TERMS = {
  upgrade: 'activate-only',
  changed: 'restart',
  migration: 'none',
  takeOver: true,
  besideOriginal: false,
  undeploy: false,
}
const MANIFEST = { profiles: {}, services: {}, infrastructure: {}, serviceMappings: [], snapshotMappings: [] }
const PLAN = {
  document: 'plan',
  version: 1,
  profile: 'shop',
  against: 'targets',
  terms: TERMS,
  manifest: { ...MANIFEST, store: { kind: 'native', directory: '/store' } },
  before: { services: {}, serviceMappings: [] },
  steps: [],
  kept: [],
  messages: [],
  skipped: ['away'],
  profiles: [],
}

describe('davit-env --plan', () => {
  const { nothingLeft, path, run, trace } = davitEnv()
  const write = (plan: object = PLAN) => writeFileSync(path('plan.json'), JSON.stringify(plan))
  const words = () => trace().map((line) => line.replace(/: [^]*/, ''))

  test('runs the steps that follow the manifest, with the options of the plan', async () => {
    write()
    expect(await run(['--plan', path('plan.json'), '--no-rollback'])).toEqual({ status: 0, stdout: '', stderr: '' })
    const options = 'takeOver upgrade=false restartChanged migration=false'
    const [check, distribute, lock, activate, set, unlock] = words().filter((line) => !/^[{}" ]/.test(line))
    for (const line of [check, activate]) {
      expect(line).toMatch(/ plan$/)
      for (const option of options.split(' ')) expect(line).toContain(option)
    }
    expect([check?.split(' ').includes('check'), activate?.split(' ').includes('check')]).toEqual([true, false])
    const common = 'profile=shop skipUnreachable'
    expect([distribute, lock, set, unlock]).toEqual([
      `distribute ${common}`,
      `lock ${common}`,
      `set ${common}`,
      'unlock',
    ])
    nothingLeft()
  })

  test('hands on the manifest of the plan, and its name', async () => {
    write()
    await run(['--plan', path('plan.json')])
    expect(readFileSync(path('trace'), 'utf8')).toContain('"directory": "/store"')
    expect(trace()).toContainEqual(expect.stringMatching(/^activate profile=shop skipUnreachable /))
  })

  test('refuses what is no plan, or one of another deployment', async () => {
    write({ ...PLAN, document: 'manifest' })
    expect(await run(['--plan', path('plan.json')])).toMatchObject({ status: 65, stdout: '' })
    write()
    const { status, stderr } = await run(['--plan', path('plan.json'), '-p', 'other'])
    expect([status, stderr]).toEqual([64, expect.stringContaining("the plan is one for 'shop'")])
    expect(await run(['--plan', path('gone.json')])).toMatchObject({ status: 66, stdout: '' })
    write({ ...PLAN, against: 'manifest' })
    const ofManifest = `davit-env: '${path('plan.json')}' is a plan from another manifest, for which no machine was asked`
    expect(await run(['--plan', path('plan.json')])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining(ofManifest),
    })
    nothingLeft()
  })
})
