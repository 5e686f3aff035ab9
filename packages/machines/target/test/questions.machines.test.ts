import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ServiceKey, ServiceMapping } from '@davit/documents'
import { isAlive } from '@davit/testing/processes'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'
import { acquireLock, askServices, observeMachine, performActivity } from '../src/target.ts'
import { type LockQuestions } from '../src/records/questions.ts'
import { askByActivity, closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

const AGREED = { kind: 'succeeded' }
const refused = (message: string, log = '') => ({ kind: 'failed', message, log })
const CUT_OFF = refused('it was cut off, or never began')
const MEGABYTE = 1024 * 1024

describe.concurrent.each(notingShells())('askServices() on a machine with $name', (shell) => {
  const mappingOf = (scene: Scene, key: string): ServiceMapping => ({ ...scene.mapping, service: key as ServiceKey })
  const recordOf = (scene: Scene, key: string) => join(scene.record, `../process:${key}`)

  /** Opens a scene with active services, whose module notes its calls as `ACTIVITY KEY`, and runs a script for all but `activate`. */
  async function sceneWith(keys: readonly string[], script: string, activities?: readonly string[]): Promise<Scene> {
    const scene = await Scene.open(shell)
    const module = `[ "$1" = activate ] || { echo "$1 $DAVIT_KEY" >>"$D/calls"; ${script}; }`
    scene.module(module, activities)
    scene.write('calls')
    for (const key of keys) {
      const request = { ...scene.request('activate'), mapping: mappingOf(scene, key) }
      expect(await performActivity(scene.machine, request)).toEqual(AGREED)
    }
    return scene
  }

  const questionsOf = (scene: Scene, keys: readonly string[], terms: Partial<LockQuestions> = {}): LockQuestions => ({
    profile: scene.profile,
    target: scene.mapping.target,
    token: '-',
    activity: 'lock',
    mappings: keys.map((key) => mappingOf(scene, key)),
    atATime: 1,
    ...terms,
  })
  const ask = (scene: Scene, keys: readonly string[], terms?: Partial<LockQuestions>) =>
    askServices(scene.machine, questionsOf(scene, keys, terms))
  const calls = (scene: Scene) => scene.read('calls').split('\n').slice(0, -1)
  const called = (scene: Scene, ...expected: readonly string[]) => until(() => expect(calls(scene)).toEqual(expected))
  const observe = async (scene: Scene) =>
    (await observeMachine(scene.machine, scene.profile)).records.map(({ mapping, running, activity }) =>
      [mapping.service, running ? 'running' : 'ended', ...(activity === undefined ? [] : [activity])].join(' '),
    )
  const askerPid = (scene: Scene) =>
    Number(/^\w+ (\d+):/.exec(readFileSync(join(scene.record, '../.questions'), 'utf8'))?.[1])
  /** Kills the helper and what it has not detached, as its successor does on a machine. */
  const killHelper = (scene: Scene) => {
    const commandOf = (pid: number | string) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      } catch {
        return ''
      }
    }
    const command = commandOf(scene.connection.pids.at(-1) ?? 0)
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name) === command)) {
      process.kill(Number(pid), 'SIGKILL')
    }
  }
  const logs = (scene: Scene) => join(scene.directory, 'state/targets/t1/log/default')
  const take = (scene: Scene, token: string, deadToken?: string) => {
    const place = { target: scene.mapping.target, profile: scene.profile }
    return acquireLock(scene.machine, place, {
      token,
      owner: 'me',
      leaseSeconds: 60,
      ...(deadToken === undefined ? {} : { deadToken }),
    })
  }

  test('returns the answers in order, with the output of those that refuse', async () => {
    const script = 'case $DAVIT_KEY in a | b2) ;; *) echo "$1: $DAVIT_KEY is busy" >&2; exit 7 ;; esac'
    const scene = await sceneWith(['a', 'b', 'b2', 'c'], script)
    expect(await ask(scene, ['a', 'b', 'none', 'b2', 'c'], { atATime: 2 })).toEqual([
      AGREED,
      refused('its module ended with status 7', 'lock: b is busy\n'),
      refused('there is no record of it'),
      AGREED,
      refused('its module ended with status 7', 'lock: c is busy\n'),
    ])
    expect(calls(scene).toSorted()).toEqual(['lock a', 'lock b', 'lock b2', 'lock c'])
    expect(await ask(scene, ['a'], { activity: 'unlock', atATime: 8 })).toEqual([AGREED])
    expect(await ask(scene, [])).toEqual([])
    expect(readdirSync(recordOf(scene, 'b')).toSorted()).toEqual(['record', 'state', 'status'])
    expect(await observe(scene)).toEqual(['a ended', 'b ended', 'b2 ended', 'c ended'])
  })

  test.runIf(shell.inDepth)('asks as many at a time as it is told', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e']
    const scene = await sceneWith(keys, 'hold; echo "end" >>"$D/calls"')
    const asking = ask(scene, keys, { atATime: 3 })
    await until(() => expect(calls(scene)).toHaveLength(3))
    expect((await observe(scene)).filter((line) => line.endsWith(' running lock'))).toHaveLength(3)
    expect(calls(scene)).toHaveLength(3)
    scene.write('go')
    expect(await asking).toEqual(keys.map(() => AGREED))
  })

  test.runIf(shell.inDepth)('does not start modules that declare other activities', async () => {
    const scene = await sceneWith(['a'], ':', ['activate', 'unlock'])
    expect(await ask(scene, ['a'])).toEqual([AGREED])
    expect(await ask(scene, ['a'], { activity: 'unlock' })).toEqual([AGREED])
    expect(calls(scene)).toEqual(['unlock a'])
  })

  test.runIf(shell.inDepth)('calls modules with the environment and the signals of other activities', async () => {
    const show = '{ env | sort; grep SigIgn /proc/$$/status; } >"$D/$1"'
    const scene = await sceneWith(['a'], show)
    expect(await ask(scene, ['a'])).toEqual([AGREED])
    expect(await askByActivity(scene.machine, { ...scene.request('unlock'), mapping: mappingOf(scene, 'a') })).toEqual(
      AGREED,
    )
    expect(scene.read('lock')).toBe(scene.read('unlock'))
  })

  test('stops a module that hangs, and asks the others all the same', async () => {
    const script = '[ "$DAVIT_KEY" != a ] || { sleep 1000 & echo $! >"$D/child"; echo about to hang; hold; }'
    const scene = await sceneWith(['a', 'b'], script)
    expect(await ask(scene, ['a', 'b'], { timeoutSeconds: 3 })).toEqual([
      refused('it took longer than 3 seconds and was stopped', 'about to hang\n'),
      AGREED,
    ])
    expect(isAlive(scene.pidIn('child'))).toBe(false)
  })

  test.runIf(shell.inDepth)('keeps 3 to 4 MB of what a module prints, and how much is left out', async () => {
    const scene = await sceneWith(['a'], 'yes "$(printf %2000d 7)" | head -c 40000000; echo; echo last; exit 5')
    const [answer] = await ask(scene, ['a'])
    expect(answer).toMatchObject(refused('its module ended with status 5', expect.stringMatching(/\nlast\n$/)))
    const size = (suffix: string) =>
      statSync(join(logs(scene), `process:a.lock${suffix}`), { throwIfNoEntry: false })?.size ?? 0
    const text = readFileSync(join(logs(scene), 'process:a.lock.1'), 'utf8')
    const [, leftOut] = /^\n\.\.\. (\d+) bytes left out \.\.\.\n$/.exec(text) ?? []
    const [beginning, end] = [size(''), size('.2') + size('.3')]
    expect(beginning + Number(leftOut) + end).toBe(40_000_000 + '\nlast\n'.length)
    for (const [bytes, least] of [
      [beginning, 2 * MEGABYTE],
      [end, MEGABYTE],
    ] as const) {
      expect(bytes).toBeGreaterThanOrEqual(least)
      expect(bytes).toBeLessThan(2 * MEGABYTE + 10_000)
    }
    expect(await ask(scene, ['a'])).toMatchObject([{ kind: 'failed' }])
    scene.module('echo short; exit 1')
    expect(await ask(scene, ['a'])).toEqual([refused('its module ended with status 1', 'short\n')])
    expect(readdirSync(logs(scene)).filter((name) => name.includes('lock'))).toEqual(['process:a.lock'])
  })

  test.runIf(shell.inDepth)('keeps output that is written in many parts', async () => {
    const script = 'number=0; while [ $number -lt 3000 ]; do echo "line $number"; number=$((number + 1)); done; exit 1'
    const scene = await sceneWith(['a'], script)
    expect(await ask(scene, ['a'])).toMatchObject([{ log: expect.stringMatching(/\nline 2999\n$/) }])
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`)
    expect(readFileSync(join(logs(scene), 'process:a.lock'), 'utf8') === lines.join('')).toBe(true)
  })

  test.runIf(shell.inDepth)('does not wait for a process in the background, which may go on printing', async () => {
    const print = '{ while [ ! -e "$D/go" ] && [ -e "$D" ]; do yes | head -c 200000; done; echo whole >"$D/end"; } &'
    const scene = await sceneWith(['a', 'b'], `${print} echo begun; [ "$DAVIT_KEY" = b ]`)
    expect(await ask(scene, ['a', 'b'])).toEqual([
      expect.objectContaining({ message: 'its module ended with status 1' }),
      AGREED,
    ])
    scene.write('go')
    await until(() => expect(scene.has('end') && scene.read('end')).toBe('whole\n'))
  })

  test('returns the answers of all, once each, when the helper is killed in between', async () => {
    const keys = ['a', 'b', 'c']
    const scene = await sceneWith(keys, 'hold; [ "$DAVIT_KEY" != b ] || { echo busy; exit 3; }')
    const asking = ask(scene, keys)
    await called(scene, 'lock a')
    killHelper(scene)
    await until(() => expect(scene.connection.pids).toHaveLength(2))
    expect(await observe(scene)).toEqual(['a running lock', 'b ended', 'c ended'])
    scene.write('go')
    expect(await asking).toEqual([AGREED, refused('its module ended with status 3', 'busy\n'), AGREED])
    expect(calls(scene)).toEqual(['lock a', 'lock b', 'lock c'])
  })

  test.runIf(shell.inDepth)('takes no earlier answers for those to questions that never began', async () => {
    const scene = await sceneWith(['a'], ':')
    expect(await ask(scene, ['a'])).toEqual([AGREED])
    const helper = scene.connection.pids.at(-1) ?? 0
    process.kill(helper, 'SIGSTOP')
    const asking = ask(scene, ['a'])
    process.kill(helper, 'SIGKILL')
    expect(await asking).toEqual([CUT_OFF])
    expect(calls(scene)).toEqual(['lock a'])
  })

  test.runIf(shell.inDepth)('begins no more when the asker is killed, and waits for the module that runs', async () => {
    const keys = ['a', 'b', 'c', 'd']
    const scene = await sceneWith(keys, 'hold; echo "end" >>"$D/calls"')
    // Answers to earlier questions, which do not count.
    scene.write('go')
    expect(await ask(scene, keys)).toEqual(keys.map(() => AGREED))
    rmSync(scene.path('go'))
    scene.write('calls')
    const asking = ask(scene, keys, { atATime: 2 })
    await until(() => expect(calls(scene)).toHaveLength(2))
    process.kill(askerPid(scene), 'SIGKILL')
    const running = (await observe(scene)).filter((line) => line.endsWith(' running lock')).map((line) => line[0] ?? '')
    expect(running).toHaveLength(2)
    const mapping = mappingOf(scene, running[0] ?? '')
    expect(await performActivity(scene.machine, { ...scene.request('deactivate'), mapping })).toEqual(
      refused('another activity of this service is still running'),
    )
    scene.write('go')
    const answers = await asking
    // The lane of the asker itself cannot tell its answer; the other one tells the answer to the question that it has begun.
    expect(answers.filter(({ kind }) => kind === 'succeeded')).toHaveLength(1)
    expect(answers.filter(({ kind }) => kind === 'failed')).toEqual([CUT_OFF, CUT_OFF, CUT_OFF])
    expect(calls(scene)).toHaveLength(4)
    expect(await ask(scene, keys)).toEqual(keys.map(() => AGREED))
    expect(readdirSync(recordOf(scene, 'a')).toSorted()).toEqual(['record', 'state', 'status'])
  })

  test.runIf(shell.inDepth)('waits for the module of an asker that was killed', async () => {
    const scene = await sceneWith(['a'], 'hold; echo "end" >>"$D/calls"')
    const callsBefore = ask(scene, ['a']).then((answers) => [answers, calls(scene)])
    await called(scene, 'lock a')
    process.kill(askerPid(scene), 'SIGKILL')
    for (let round = 0; round < 3; round += 1) expect(await observe(scene)).toEqual(['a running lock'])
    scene.write('go')
    expect(await callsBefore).toEqual([[CUT_OFF], ['lock a', 'end']])
  })

  test.runIf(shell.inDepth)('asks nobody without the lock', async () => {
    const scene = await sceneWith(['a'], ':')
    await expect(ask(scene, ['a'], { token: 'mine' })).rejects.toMatchObject({ code: 'lock-lost' })
    expect(calls(scene)).toEqual([])
  })

  test.runIf(shell.inDepth)('asks nobody more when somebody else takes the lock', async () => {
    const scene = await sceneWith(['a', 'b'], 'hold')
    await take(scene, 'mine')
    const asking = ask(scene, ['a', 'b'], { token: 'mine' })
    await called(scene, 'lock a')
    await take(scene, 'theirs', 'mine')
    scene.write('go')
    expect(await asking).toEqual([AGREED, CUT_OFF])
    expect(calls(scene)).toEqual(['lock a'])
  })

  test.runIf(shell.inDepth)('ends earlier questions that have not begun', async () => {
    const scene = await sceneWith(['a', 'b'], '[ "$1" = unlock ] || hold')
    const earlier = ask(scene, ['a', 'b'])
    await called(scene, 'lock a')
    expect(await ask(scene, ['a', 'b'], { activity: 'unlock' })).toEqual([
      refused('another run claimed the service first'),
      AGREED,
    ])
    scene.write('go')
    expect(await earlier).toEqual([AGREED, CUT_OFF])
    expect(calls(scene)).toEqual(['lock a', 'unlock b'])
  })

  test.runIf(shell.inDepth)('does not call a module while another activity of the service runs', async () => {
    const scene = await sceneWith(['a', 'b'], ':')
    scene.module('echo "$1 $DAVIT_KEY" >>"$D/calls"; [ "$1" = lock ] || hold')
    const mapping = mappingOf(scene, 'a')
    const deactivating = performActivity(scene.machine, { ...scene.request('deactivate'), mapping })
    await called(scene, 'deactivate a')
    expect(await ask(scene, ['a', 'b'])).toEqual([refused('another run claimed the service first'), AGREED])
    // The claim of the runner alone keeps the question off, as its module may have just ended.
    rmSync(join(recordOf(scene, 'a'), 'module'))
    expect(await ask(scene, ['a'])).toEqual([refused('another run claimed the service first')])
    expect(readlinkSync(join(recordOf(scene, 'a'), 'running'))).toMatch(/^\d+:/)
    scene.write('go')
    expect(await deactivating).toEqual(AGREED)
    expect(calls(scene)).toEqual(['deactivate a', 'lock b'])
  })

  test.runIf(shell.inDepth)('asks where a module was killed before', async () => {
    const scene = await sceneWith(['a'], ':')
    writeFileSync(join(recordOf(scene, 'a'), 'activity'), 'lock\n')
    for (const name of ['module', 'running']) {
      const claim = join(recordOf(scene, 'a'), name)
      rmSync(claim, { force: true })
      symlinkSync('999999:1:gone', claim)
    }
    expect(await ask(scene, ['a'])).toEqual([AGREED])
  })

  testCalls(shell, 'questions')
})
