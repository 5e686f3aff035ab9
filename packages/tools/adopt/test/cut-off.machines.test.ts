import { join } from 'node:path'

import { chosen, isThorough, patience } from '@davit/testing/effort'
import { untilNoProcessHas } from '@davit/testing/processes'
import { beforeEach, describe, expect, test } from 'vitest'

import { Scene } from './scene.ts'
import { Programs, type Stop } from './stopped-program.ts'

const SAMPLES = 1
const programs = new Programs()
let scene: Scene
beforeEach(async () => void (scene = await prepared()))

async function prepared(): Promise<Scene> {
  const made = await Scene.open()
  made.deployOriginal()
  made.keepState('one', 'two')
  return made
}

const HASH = /[0-9a-z]{32}-/

/** What is there once everything was adopted: the names of all files, and nothing of Disnix is different. */
const outcomeOf = (one: Scene) => ({
  files: Object.keys(one.files(join(one.state, 'targets')))
    .map((name) => name.replace(HASH, ''))
    .toSorted(),
  adopted: Object.keys(one.files(join(one.state, 'adopted'))),
  generations: one.generations(),
})

describe('an adoption that is cut off', () => {
  test.each<Stop['victim']>(['tool', 'helper', 'coordinator'])(
    'by the end of the %s is finished by the same command',
    patience,
    async (victim) => {
      const { writes } = await programs.start(scene).ended
      const whole = outcomeOf(scene)
      expect(whole.generations).toEqual(['1'])
      const last = writes[victim === 'coordinator' ? 'coordinator' : 'target']
      expect(last).toBeGreaterThan(10)
      // In the end, nothing is left to adopt, and only the lock to release.
      for (const at of [...pointsUpTo(last - 1), last]) {
        // One after the other, since each is a process.
        // oxlint-disable-next-line no-await-in-loop
        await finishes({ victim, at }, whole)
      }
    },
  )
})

async function finishes(stop: Stop, whole: ReturnType<typeof outcomeOf>): Promise<void> {
  const cut = await prepared()
  const ofDisnix = () => [cut.files(cut.nix), cut.files(cut.dysnomia)]
  const before = ofDisnix()
  const { status } = await programs.start(cut, stop).ended
  // The helper of a tool that was killed finishes its last request, which may be the lock.
  await untilNoProcessHas(cut.directory)
  await cut.adopt()
  const message = `${stop.victim} was cut off at write ${stop.at}, with status ${status}`
  const found = { message, ...outcomeOf(cut), ofDisnix: ofDisnix(), left: (await cut.adopt()).stdout }
  expect(found).toEqual({ message, ...whole, ofDisnix: before, left: '' })
}

/** All points, or some of them. */
function pointsUpTo(last: number): readonly number[] {
  const all = Array.from({ length: last }, (_, index) => index + 1)
  if (isThorough) return all
  const length = Math.floor(last / SAMPLES)
  return Array.from({ length: SAMPLES }, (_, index) => index * length + 1 + chosen(length, `part ${index}`))
}

describe('davit-adopt', () => {
  test('is refused while another one works, which it does not disturb', async () => {
    const first = programs.start(scene, { victim: 'nobody', at: 30 })
    await first.waiting()
    const second = await programs.start(scene).ended
    expect(second).toMatchObject({ status: 75, stderr: expect.stringContaining('lock') as string })
    first.release()
    expect(await first.ended).toMatchObject({ status: 0 })
    expect((await scene.adopt()).stdout).toBe('')
    expect(scene.generations()).toEqual(['1'])
  })

  test('writes nothing if Disnix has deployed something else before it had its lock', async () => {
    const program = programs.start(scene, { victim: 'nobody', at: 1 })
    await program.waiting()
    scene.deployOriginal(['database'])
    program.release()
    expect(await program.ended).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/\[original-changed\]\nhint: nothing was done/) as string,
    })
    expect([outcomeOf(scene).adopted, scene.generations()]).toEqual([[], []])
    expect(Object.keys(scene.files(join(scene.state, 'targets/t1/active')))).toEqual([])
    expect((await scene.adopt()).stdout).not.toContain("'shop'")
  })

  test('may be started twice at a time', async () => {
    const ended = await Promise.all([programs.start(scene).ended, programs.start(scene).ended])
    const others = ended.filter(({ status }) => status !== 0)
    expect(others.length).toBeLessThan(2)
    for (const { status, stderr } of others) expect(`${status} ${stderr}`).toMatch(/^75 .*|^1 .*\[original-changed\]/s)
    expect((await scene.adopt()).stdout).toBe('')
    expect(scene.generations()).toEqual(['1'])
  })

  test('says after an interruption what to do next', async () => {
    const program = programs.start(scene, { victim: 'nobody', at: 30 })
    await program.waiting()
    program.interrupt()
    await program.said('interrupted')
    program.release()
    const { status, stderr } = await program.ended
    expect(status).toBe(130)
    expect(stderr).toContain('no service was started or stopped; the same command finishes the adoption')
    await scene.adopt()
    expect((await scene.adopt()).stdout).toBe('')
    expect(scene.generations()).toEqual(['1'])
  })
})
