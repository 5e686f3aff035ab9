import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createInterruption } from '../src/interruption.ts'
import { runInForeground } from '../src/run-in-foreground.ts'

function interruptionAt() {
  const stops: number[] = []
  let clock = 0
  const interruption = createInterruption({ stop: (status) => stops.push(status), now: () => clock })
  return { interruption, stops, wait: (milliseconds: number) => (clock += milliseconds) }
}

test.each([
  ['SIGINT', 130, 'interrupted: finishing what is running; press Ctrl-C again to stop now'],
  ['SIGTERM', 143, 'terminated: finishing what is running; send the signal again to stop now'],
  ['SIGHUP', 129, 'hung up: finishing what is running; send the signal again to stop now'],
] as const)('the first %s asks the tool to stop', (name, status, announcement) => {
  const { interruption, stops } = interruptionAt()
  interruption.receive(name)
  expect(interruption.signal.aborted).toBe(true)
  expect(interruption.signal.reason).toMatchObject({ code: 'interrupted', exitStatus: status })
  expect(interruption.status).toBe(status)
  expect(interruption.announcement()).toBe(announcement)
  expect(stops).toEqual([])
})

test('for each of many targets somebody may listen', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.prependListener('warning', listen)
  const { signal } = interruptionAt().interruption
  for (let count = 0; count < 100; count++) signal.addEventListener('abort', () => {})
  // Warnings are printed a moment later.
  await setImmediate()
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

test('the second signal stops immediately, after a last message', () => {
  const { interruption, stops, wait } = interruptionAt()
  const before: number[][] = []
  interruption.onStop(() => before.push([...stops]))
  interruption.receive('SIGINT')
  wait(1000)
  interruption.receive('SIGTERM')
  expect([before, stops]).toEqual([[[]], [143]])
})

test('signals in quick succession count as one', () => {
  const { interruption, stops, wait } = interruptionAt()
  interruption.receive('SIGTERM')
  wait(100)
  interruption.receive('SIGTERM')
  expect(stops).toEqual([])
})

test('diverted signals go elsewhere, until they come back', () => {
  const { interruption, wait } = interruptionAt()
  const received: string[] = []
  const restore = interruption.divert((name) => received.push(name))
  interruption.receive('SIGINT')
  expect([received, interruption.signal.aborted]).toEqual([['SIGINT'], false])
  restore()
  // The terminal ended the command with it before we received it.
  interruption.receive('SIGINT')
  expect([received, interruption.signal.aborted]).toEqual([['SIGINT'], false])
  wait(1000)
  interruption.receive('SIGINT')
  expect([received, interruption.signal.aborted]).toEqual([['SIGINT'], true])
})

test('a step has an interruption of its own, and the process ends at its second signal', () => {
  const { interruption, stops, wait } = interruptionAt()
  const step = interruption.ofStep()
  interruption.divert((name) => step.receive(name))
  interruption.receive('SIGINT')
  expect([step.signal.aborted, step.status, interruption.signal.aborted]).toEqual([true, 130, false])
  wait(1000)
  interruption.receive('SIGINT')
  expect(stops).toEqual([130])
})

test('a signal without a handling of its own keeps its status', () => {
  const received: unknown[] = []
  const { interruption } = interruptionAt()
  const restore = interruption.divert((...given) => received.push(given))
  interruption.receive('SIGTERM', 131)
  restore()
  expect(received).toEqual([['SIGTERM', 131]])
})

test('nothing is run in the foreground once it was interrupted', async () => {
  const { interruption } = interruptionAt()
  interruption.receive('SIGTERM')
  const run = runInForeground({ argv: ['sh', '-c', 'exit 3'], environment: {} }, { interruption, terminal: false })
  await expect(run).rejects.toMatchObject({ code: 'interrupted', exitStatus: 143 })
})

test.each([
  ['SIGINT', 'to a command that the terminal has told already', true, 0],
  ['SIGINT', 'to a command without one', false, 130],
  ['SIGTERM', 'to a command', true, 143],
] as const)('%s is handed on %s only where nobody else does', async (name, _, terminal, status) => {
  const { interruption } = interruptionAt()
  const run = runInForeground(
    { argv: ['sleep', '0.2'], environment: { PATH: '/usr/bin:/bin' } },
    { interruption, terminal },
  )
  interruption.receive(name)
  expect([await run, interruption.signal.aborted]).toEqual([status, false])
})
