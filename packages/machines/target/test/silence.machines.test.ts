import { PassThrough } from 'node:stream'

import type { Channel } from '@davit/connection'
import type { ProfileName, TargetName } from '@davit/documents'
import { NO_SECRETS } from '@davit/secrets'
import { isAlive } from '@davit/testing/processes'
import { type Shell, shellsInDepth } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'

import { importArchive } from '../src/native/import.ts'
import { whileAlive } from '../src/helper/proof-of-life.ts'
import { watchSilence } from '../src/helper/silence.ts'
import { acquireLock, askStatuses, lockHolder, type Machine, openMachine, performActivity } from '../src/target.ts'
import { type FarEnd, HELLO, connectionTo, honest } from './far-end.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)
afterEach(() => void vi.useRealTimers())

const place = { target: 't1' as TargetName, profile: 'default' as ProfileName }
const silence = { code: 'connection-lost', exitStatus: 69, hint: expect.stringContaining('DAVIT_ANSWER_TIMEOUT') }

describe.each(shellsInDepth())('with $name', (shell) => {
  const open = async (answerSeconds: number) => {
    const scene = await Scene.open(shell)
    const machine = await openMachine(async () => scene.connection, { answerSeconds })
    return { scene, machine, helper: () => scene.connection.pids.at(-1) ?? 0 }
  }

  test('a stopped helper counts as lost, is killed, and replaced', async () => {
    const { scene, machine, helper } = await open(2)
    const stopped = helper()
    process.kill(stopped, 'SIGSTOP')
    const locking = acquireLock(machine, place, { token: 'mine', owner: 'me', leaseSeconds: 60 })
    await expect(locking).rejects.toMatchObject({
      ...silence,
      message: `'${shell.name}' has not answered for 2 s`,
    })
    expect(await lockHolder(machine, place)).toBe(undefined)
    await until(() => expect(isAlive(stopped)).toBe(false))
    // Requests that it had not read are never carried out.
    expect(await lockHolder(machine, place)).toBe(undefined)
    expect(scene.connection.pids).toHaveLength(3)
    machine.close()
  })

  test('an activity goes on without a stopped helper, and the next one returns its outcome', async () => {
    const { scene, machine, helper } = await open(2)
    const module = scene.module(': >"$D/begun"; hold')
    const activity = performActivity(machine, scene.request('activate', module))
    await until(() => expect(scene.has('begun')).toBe(true))
    process.kill(helper(), 'SIGSTOP')
    await until(() => expect(scene.connection.pids).toHaveLength(3))
    scene.write('go')
    expect(await activity).toEqual({ kind: 'succeeded' })
    machine.close()
  })

  test.runIf(shell.inDepth)('an activity may be silent for any time', async () => {
    const scene = await Scene.open(shell)
    let written = ''
    const run = async (script: string): Promise<Channel> => {
      const channel = await scene.connection.run(script)
      const write = channel.stdin.write.bind(channel.stdin)
      channel.stdin.write = ((text: string, done: () => void) => {
        written += text
        return write(text, done)
      }) as typeof write
      return channel
    }
    const machine = await openMachine(async () => ({ ...scene.connection, run }), { answerSeconds: 2 })
    const activity = performActivity(machine, scene.request('activate', scene.module('hold')))
    const proofs = () => written.split(' lock_state ').length - 1
    await until(() => expect(proofs()).toBeGreaterThan(5))
    scene.write('go')
    expect(await activity).toEqual({ kind: 'succeeded' })
    expect(scene.connection.pids).toHaveLength(2)
    machine.close()
  })
})

describe('with one shell', () => {
  const [shell] = shellsInDepth() as readonly [Shell]

  test('a stopped receiver is noticed before and after the end of an archive', async () => {
    const scene = await Scene.open(shell)
    const run = async (script: string): Promise<Channel> => {
      const channel = await scene.connection.run(script)
      if (script.includes('receive_archive ')) process.kill(scene.connection.pids.at(-1) ?? 0, 'SIGSTOP')
      return channel
    }
    // The helper has all its time to begin.
    const opened = await openMachine(async () => ({ ...scene.connection, run }), { role: 'carry' })
    const machine = { ...opened, answerSeconds: 0.3 }
    const layout = {
      directory: scene.path('store'),
      incoming: scene.path('incoming'),
      registrations: scene.path('registrations'),
      roots: scene.path('roots'),
    } as Parameters<typeof importArchive>[1]
    const { signal } = new AbortController()
    for (const bytes of [10, 1_000_000]) {
      const archive = new PassThrough()
      archive.on('error', () => {}).end(Buffer.alloc(bytes))
      const sending = importArchive(machine, layout, { archive, names: [], protect: [], needs: [], signal })
      await expect(sending).rejects.toMatchObject(silence)
    }
    for (const pid of scene.connection.pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })

  test('a receiver does not count as silent while the archive is read slowly here', async () => {
    const scene = await Scene.open(shell)
    const machine = await openMachine(async () => scene.connection, { role: 'carry', answerSeconds: 3 })
    const archive = new PassThrough()
    setTimeout(() => archive.end(), 7500)
    const layout = { incoming: scene.path('incoming') } as Parameters<typeof importArchive>[1]
    const sent = { archive, names: [], protect: [], needs: [], signal: new AbortController().signal }
    await expect(importArchive(machine, layout, sent)).rejects.not.toMatchObject({ code: 'connection-lost' })
    machine.close()
  })
})

describe('a machine', () => {
  /** Answers `hello`, and then nothing. */
  const mute = (line: string, far: FarEnd) => {
    if (line.startsWith('davit-')) honest()(line, far)
    else if (line.includes(' hello')) honest(...HELLO.map((fact) => `ID + ${fact}`), 'ID =')(line, far)
  }

  test('is given up once two helpers in a row have fallen silent', async () => {
    let opened = 0
    const connect = async () => {
      opened += 1
      return connectionTo({ answer: mute })
    }
    const machine = await openMachine(connect, { answerSeconds: 0.1 })
    for (const _ of [1, 2, 3, 4]) await expect(machine.request('observe', ['default'])).rejects.toMatchObject(silence)
    expect(opened).toBe(2)
  })

  test.each(['print', 'event'] as const)(
    'is given up as well if it goes on to say what answers nothing: %s',
    async (way) => {
      const timers: NodeJS.Timeout[] = []
      const talkative = (line: string, far: FarEnd) => {
        mute(line, far)
        if (line.includes(' observe')) timers.push(setInterval(() => far[way]('99 + or so\n'), 10))
      }
      const machine = await openMachine(async () => connectionTo({ answer: talkative }), { answerSeconds: 0.2 })
      await expect(machine.request('observe', ['default'])).rejects.toMatchObject({
        ...silence,
        message: "'far' has not answered for 0.2 s",
      })
      for (const timer of timers) clearInterval(timer)
    },
  )

  test('has ten times as long to write to its store, and is then named in the error', async () => {
    const machine = await openMachine(async () => connectionTo({ answer: mute }), {
      role: 'carry',
      answerSeconds: 0.05,
    })
    const began = performance.now()
    const message = "'far' has not answered for 0.5 s"
    await expect(machine.request('native_discard', ['incoming'])).rejects.toMatchObject({ ...silence, message })
    expect(performance.now() - began).toBeGreaterThan(500)
  })

  test('that answers in parts is not silent', async () => {
    const answer = (line: string, far: FarEnd) => {
      mute(line, far)
      if (!line.includes(' observe')) return
      for (const [after, text] of [
        [150, '+ a'],
        [300, '+ b'],
        [450, '='],
      ] as const)
        setTimeout(() => far.print(`${line.split(' ')[0]} ${text}\n`), after)
    }
    const machine = await openMachine(async () => connectionTo({ answer }), { answerSeconds: 0.3 })
    expect(await machine.request('observe', ['default'])).toEqual(['a', 'b'])
  })
})

describe('a machine that is heard again and again', () => {
  const timers: NodeJS.Timeout[] = []
  afterEach(() => {
    for (const timer of timers.splice(0)) clearInterval(timer)
  })
  const alive = (line: string, far: FarEnd) =>
    line.includes(' hello')
      ? honest(...HELLO.map((fact) => `ID + ${fact}`), 'ID =')(line, far)
      : honest('ID =')(line, far)

  test.each([
    ['observe', 0.375],
    // An operation with more patience.
    ['native_discard', 0.9375],
  ] as const)('has an end of its patience for the answer to %s', async (operation, seconds) => {
    const trickle = (line: string, far: FarEnd) => {
      if (!line.includes(` ${operation}`)) return alive(line, far)
      timers.push(setInterval(() => far.print(`${line.split(' ')[0]} + x\n`), 10))
    }
    const machine = await openMachine(async () => connectionTo({ answer: trickle }), { answerSeconds: 0.0625 })
    await expect(machine.request(operation as 'observe', ['default'])).rejects.toMatchObject({
      ...silence,
      message: `'far' has not ended its answer for ${seconds} s`,
    })
  })

  test('may take any time for many answers', async () => {
    const machine = await openMachine(async () => connectionTo({ answer: alive }), { answerSeconds: 0.05 })
    const isLost = vi.fn()
    let asked = 0
    const until = performance.now() + 1000
    while (performance.now() < until) {
      asked += 1
      await machine.request('observe', ['default']).catch(isLost)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(asked).toBeGreaterThan(10)
    expect(isLost).not.toHaveBeenCalled()
  })

  test('does not keep an activity that should have ended by itself', async () => {
    const machine = await openMachine(async () => connectionTo({ answer: alive }), { answerSeconds: 0.05 })
    const fields = ['t1', 'default', '-', 'status', '1', '1', 'name', 'c', 'key'] as const
    const asked = machine.requestActivity('ask', [...fields], { withinSeconds: 0.4 })
    await expect(asked).rejects.toMatchObject({ ...silence, message: "'far' has not ended its answer for 0.4 s" })
  })

  test.each([
    [30, 5, 2, 3 * 40 + 7],
    [30, 1, 8, 40 + 7],
    [0, 5, 2, undefined],
  ])(
    'is asked by modules of %i s each, %i of them, %i at a time',
    async (timeoutSeconds, count, atATime, withinSeconds) => {
      const listeners: unknown[] = []
      const machine = {
        answerSeconds: 7,
        secrets: NO_SECRETS,
        requestActivity: async (...words: readonly unknown[]) => {
          listeners.push(words[2])
          return 0
        },
      } as unknown as Machine
      const mappings = Array.from({ length: count }, (_, index) => ({
        container: 'c',
        service: `key${index}`,
      })) as never
      await askStatuses(machine, { ...place, mappings, atATime, timeoutSeconds })
      expect(listeners).toEqual([expect.objectContaining({ withinSeconds })])
    },
  )
})

describe('watchSilence()', () => {
  test('counts all that is heard of one thing, until it has settled', () => {
    vi.useFakeTimers()
    const onSilence = vi.fn()
    const watch = watchSilence({ patience: () => 100, longest: () => 300, onSilence })
    const hear = (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 5) {
        watch.heard()
        vi.advanceTimersByTime(5_000)
      }
    }
    hear(290)
    watch.settled()
    hear(290)
    expect(onSilence).not.toHaveBeenCalled()
    hear(60)
    expect(onSilence.mock.calls).toEqual([[300, 'endless']])
  })

  test('does not count the time during which this process was stopped', () => {
    vi.useFakeTimers()
    const onSilence = vi.fn()
    const watch = watchSilence({ patience: () => 100, onSilence })
    watch.heard()
    vi.advanceTimersByTime(99_000)
    watch.heard()
    // After a long stop a timer is due once, however long it was.
    vi.advanceTimersToNextTimer()
    expect(onSilence).not.toHaveBeenCalled()
    watch.heard()
    vi.advanceTimersByTime(99_000)
    expect(onSilence).not.toHaveBeenCalled()
    vi.advanceTimersByTime(26_000)
    expect(onSilence.mock.calls).toEqual([[100, 'silent']])
    vi.advanceTimersByTime(1_000_000)
    expect(onSilence).toHaveBeenCalledTimes(1)
  })

  test('counts only while something is due, and until it is stopped', () => {
    vi.useFakeTimers()
    const onSilence = vi.fn()
    const due: { seconds?: number } = {}
    const watch = watchSilence({ patience: () => due.seconds, onSilence })
    watch.heard()
    expect(vi.getTimerCount()).toBe(0)
    due.seconds = 1
    watch.heard()
    watch.stop()
    watch.heard()
    vi.advanceTimersByTime(10_000)
    expect(onSilence).not.toHaveBeenCalled()
  })
})

describe('whileAlive()', () => {
  const never = new Promise<never>(() => {})
  const lost = Object.assign(new Error('lost'), {})

  test('waits for silent work as long as the helper answers, even with a refusal', async () => {
    let asked = 0
    let finish: (result: string) => void = () => {}
    const work = new Promise<string>((resolve) => {
      finish = resolve
    })
    const request = async () => {
      asked += 1
      if (asked === 5) finish('built')
      if (asked % 2 === 0) throw lost
      return []
    }
    expect(await whileAlive({ answerSeconds: 0.01, request }, work)).toBe('built')
    expect(asked).toBe(5)
  })

  test('gives up when two helpers in a row were lost', async () => {
    const machine = await openMachine(async () => connectionTo({ answer: honestThenGone() }), { answerSeconds: 0.05 })
    await expect(whileAlive(machine, never)).rejects.toMatchObject({ code: 'connection-lost' })
  })

  /** Answers `hello`, and ends at any other request. */
  function honestThenGone() {
    return (line: string, far: FarEnd) => {
      if (line.startsWith('davit-')) honest()(line, far)
      else if (line.includes(' hello')) honest(...HELLO.map((fact) => `ID + ${fact}`), 'ID =')(line, far)
      else far.end(1)
    }
  }
})
