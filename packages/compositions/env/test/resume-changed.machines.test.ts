import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/testing/scratch'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { deployed, type Outcome, realPrograms, World } from './accident.ts'

const programs = realPrograms()

function succeeded(outcome: Outcome): Outcome {
  expect(outcome).toMatchObject({ status: 0 })
  return outcome
}

const COPY = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const

describe('what davit-env had begun when it was killed, and somebody has changed since', () => {
  let world: World
  let before = 0
  /** Deploys a first version, then a second one, of which the run is killed; each test begins with what that has left. */
  beforeAll(async () => {
    world = new World(programs.directory, mkdtempSync(join(tmpdir(), 'davit-changed-')))
    succeeded(await world.run(world.write(1)))
    world.killAt('activate b 2')
    await world.run(world.write(2))
    // It waits for what still runs.
    succeeded(await resume('--dry-run'))
    before = world.calls().length
    for (const name of ['state', 'journal']) cpSync(world.path(name), world.path(`${name}-killed`), COPY)
  })
  afterAll(() => removeTree(world.directory))
  beforeEach(() => {
    for (const name of ['state', 'journal']) {
      removeTree(world.path(name))
      cpSync(world.path(`${name}-killed`), world.path(name), COPY)
    }
  })

  const resume = (...options: readonly string[]) => world.run(['--resume', ...options])
  const infrastructure = () => ['-i', world.path('infrastructure.json')]
  const wanted = () => world.path('state/coordinator/default/wanted')
  /** What was called since, except for what concerns locks and state. */
  const calls = () =>
    world
      .calls()
      .slice(before)
      .filter((call) => /^(de)?activate /.test(call))
  const onAlpha = (...names: readonly string[]) => world.path('state/targets/alpha', ...names)
  /** The record of the only service on alpha. */
  const record = () => {
    const [name = ''] = readdirSync(onAlpha('active/default')).filter((one) => one.startsWith('counted:'))
    return onAlpha('active/default', name)
  }
  const forget = (target: string) => {
    const directory = world.path('state/targets', target, 'profiles/default')
    const told = readdirSync(directory).filter((link) => link.startsWith('wanted.'))
    expect(told).not.toEqual([])
    for (const link of told) rmSync(join(directory, link))
  }

  test('has reached the last activation', () => {
    expect([world.active(), calls()]).toEqual([deployed(2), []])
    expect(world.calls().at(-1)).toBe('activate b 2 beta')
  })

  test('is finished if a service was stopped, and its record removed: the service is started again', async () => {
    rmSync(record(), { recursive: true })
    writeFileSync(world.path('journal'), 'deactivate a 2 alpha\n', { flag: 'a' })
    succeeded(await resume())
    expect([world.active(), calls()]).toEqual([deployed(2), ['deactivate a 2 alpha', 'activate a 2 alpha']])
  })

  test('is finished if a record was damaged: its service is stopped, and started again', async () => {
    writeFileSync(join(record(), 'state'), 'rubbish\n')
    expect(succeeded(await resume()).stderr).toContain('deactivate a in counted on alpha (its record is damaged)')
    expect([world.active(), calls()]).toEqual([deployed(2), ['deactivate a 2 alpha', 'activate a 2 alpha']])
  })

  test('is finished by asking the targets if the record of the coordinator was removed or damaged', async () => {
    writeFileSync(wanted(), 'rubbish')
    expect(await resume()).toMatchObject({
      status: 65,
      stderr: expect.stringMatching(
        /is not a valid record of a run[^]*remove it; .* -i INFRASTRUCTURE asks the targets/,
      ),
    })
    rmSync(wanted())
    const { stderr } = succeeded(await resume())
    expect(stderr).toContain('nothing to resume')
    expect(stderr).toContain('no infrastructure model was given: the targets were not asked')
    expect(succeeded(await resume(...infrastructure())).stderr).toContain('generation 2 on the coordinator')
    expect([world.active(), calls()]).toEqual([deployed(2), []])
    expect(succeeded(await resume(...infrastructure())).stderr).not.toContain('not asked')
  })

  test('is finished only by its own coordinator, if asked to, when targets have lost what they were told', async () => {
    for (const target of ['alpha', 'beta']) forget(target)
    const comeBack = world.otherCoordinator()
    expect(succeeded(await resume(...infrastructure())).stderr).toContain('nothing to resume')
    comeBack()
    expect(await resume()).toMatchObject({ status: 1, stderr: expect.stringContaining('[wanted-elsewhere]') })
    succeeded(await resume('--prefer', 'coordinator'))
    expect([world.active(), calls()]).toEqual([deployed(2), []])
    expect(succeeded(await resume()).stderr).toContain('nothing to resume')
  })

  test('is what is resumed after another run was refused, which has changed nothing', async () => {
    expect(await world.run([...world.write(3), '--confirm', '5'])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('[not-revertible]'),
    })
    expect(succeeded(await resume()).stderr).toContain('generation 2 on the coordinator')
    expect([world.active(), calls()]).toEqual([deployed(2), []])
  })

  test('is confirmed again if it had to be confirmed, after the targets have gone back', async () => {
    succeeded(await resume())
    world.killAt('activate b 3')
    const options = ['--confirm', '60', '--no-migration']
    expect(await world.run([...world.write(3), ...options])).toMatchObject({ status: null })
    const { stderr } = succeeded(await resume())
    expect(stderr).toContain('[alpha] waiting until this target has gone back')
    expect(stderr).toContain("confirmed 'alpha', 'beta' over new connections")
    expect(world.active()).toEqual(deployed(3))
    expect(calls().filter((call) => call.includes(' a '))).toEqual([
      'deactivate a 2 alpha',
      'activate a 3 alpha',
      'deactivate a 3 alpha',
      'activate a 2 alpha',
      'deactivate a 2 alpha',
      'activate a 3 alpha',
    ])
  })
})
