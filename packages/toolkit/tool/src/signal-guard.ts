import type { InterruptionSignal } from './interruption.ts'

/** What a guard reports about signals, and asks. */
export interface Guarded {
  receive(name: InterruptionSignal): void
  /** Whether the next signal ends the process. */
  readonly endsNext: boolean
  /** Called when the guard hears signals itself. */
  onReady(): void
}

const NUMBERS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } satisfies Record<InterruptionSignal, number>

/**
 * Hears signals in a thread of its own, since code that computes without a pause hears none: if the first was not heard yet, or was
 * and the second is not, the next one has the effect that the system gives it, which is to end the process.
 */
export function guardSignals(guarded: Guarded): void {
  // Begins at once, and is not loaded by tools that need none.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const worker = new Worker(GUARD, {
    eval: true,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    trackUnmanagedFds: false,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
    workerData: Object.values(NUMBERS),
  })
  worker.unref()
  // Without a guard, the process goes on hearing signals itself.
  worker.on('error', () => {})
  worker.on('message', (number: number) => {
    const name = (Object.keys(NUMBERS) as InterruptionSignal[]).find((one) => NUMBERS[one] === number)
    if (name === undefined) guarded.onReady()
    else guarded.receive(name)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, not a window
    worker.postMessage(guarded.endsNext)
  })
}

/**
 * The thread, as text, since a bundle has no file for it. Only this binding hears signals in a thread. One wish may arrive as several
 * signals, so those within 250 ms are one. The process may have kept a handler of its own, if it began to compute before it could
 * give it up; then it is killed.
 */
const GUARD = `
const { parentPort, workerData } = require('node:worker_threads')
process.noDeprecation = true
const { Signal } = process.binding('signal_wrap')
let unheardSince
let endsNext = false
const end = (handle, number) => {
  handle.stop()
  process.kill(process.pid, number)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200)
}
for (const number of workerData) {
  const handle = new Signal()
  handle.onsignal = () => {
    if (unheardSince !== undefined && Date.now() - unheardSince > 250) return end(handle, number)
    if (endsNext) setTimeout(() => end(handle, number), 1000)
    unheardSince ??= Date.now()
    parentPort.postMessage(number)
  }
  handle.start(number)
}
parentPort.on('message', (ends) => {
  unheardSince = undefined
  endsNext = ends
})
parentPort.postMessage(0)
`
