import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import { ExitStatus } from '@davit/diagnostics'
import type { Tool, ToolDescription } from './define-tool.ts'
import { executeTool } from './execute-tool.ts'
import type { Host } from './host.ts'
import { createInterruption, type Interruption, INTERRUPTION_SIGNALS, type InterruptionSignal } from './interruption.ts'
import { keepMemorySmall } from './keep-memory-small.ts'
import { renderError } from './render-error.ts'
import { guardSignals } from './signal-guard.ts'

export interface Endings {
  /** Signals that are treated like SIGTERM; without a listener, they would end the process at once. */
  readonly alsoEndedBy?: readonly NodeJS.Signals[]
}

/**
 * Main function of every executable: runs the tool with the arguments, streams and signals of this process, and ends it. The tool
 * is loaded only for a command line that its description does not answer.
 */
export function runTool(
  description: ToolDescription,
  load: () => Promise<Tool>,
  { alsoEndedBy = [] }: Endings = {},
): void {
  const tool: Tool = {
    ...description,
    findHelp: async (place) => (await load()).findHelp?.(place),
    run: async (context) => {
      const loaded = await load()
      // Only now, since V8 accepts no code that was compiled in advance under other flags.
      if (description.holdsMuch === true) keepMemorySmall()
      return loaded.run(context)
    },
  }
  const interruption = createInterruption({
    stop: (status) => process.exit(status),
    now: () => performance.now(),
    listen: (to) => hearSignals(to, alsoEndedBy),
  })
  // The reader of our messages may go away.
  process.stderr.on('error', () => {})
  const running = { tool: tool.name }
  const fail = (error: unknown): void => endWithBug(running.tool, error)
  process.on('uncaughtException', fail)
  process.on('beforeExit', () => failIfIdleAgain(fail))
  executeTool(tool, { host: currentHost(running), interruption })
    .then(exitWhenFlushed)
    .catch(fail)
}

/** Milliseconds after which a process that hears signals gets a guard. */
const GUARD_AFTER = 1000

function hearSignals(interruption: Interruption, alsoEndedBy: readonly NodeJS.Signals[]): void {
  const listeners = INTERRUPTION_SIGNALS.map((name) => ({ name, hear: () => interruption.receive(name) }))
  for (const { name, hear } of listeners) process.on(name, hear)
  for (const name of alsoEndedBy) {
    process.on(name, () => interruption.receive('SIGTERM', 128 + constants.signals[name]))
  }
  const onReady = (): void => {
    for (const { name, hear } of listeners) process.off(name, hear)
  }
  const guarded = {
    receive: (name: InterruptionSignal) => interruption.receive(name),
    get endsNext() {
      return interruption.endsNext
    },
    onReady,
  }
  // A guard takes as long to begin as a small tool to run.
  setTimeout(() => guardSignals(guarded), GUARD_AFTER).unref()
}

let isIdle = false

/** Ends the process if it is idle twice in a row; code that waits for a program of the user gets the first chance to react. */
function failIfIdleAgain(fail: (error: unknown) => void): void {
  if (isIdle) fail(new Error('nothing is left to wait for, but the tool is not done'))
  isIdle = true
  setImmediate(() => {})
}

/** What is a getter takes milliseconds, and most calls do not need it. */
function currentHost(running: Host['running']): Host {
  const { argv, env, stdout, stderr } = process
  return {
    argv: argv.slice(2),
    executable: argv[1] ?? '',
    environment: { ...env } as Host['environment'],
    workingDirectory: process.cwd(),
    privileged: process.getuid?.() === 0,
    get input() {
      return process.stdin
    },
    output: stdout,
    errors: stderr,
    running,
    get startTime() {
      return performance.timeOrigin
    },
  }
}

/** Exits even if a connection or timer is left open, but only after all output has been written. */
async function exitWhenFlushed(status: number): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(flushed))
  process.exit(status)
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}

function endWithBug(tool: string, error: unknown): void {
  writeSync(2, renderError(error, { tool, format: 'text', debug: true }))
  process.exit(ExitStatus.bug)
}
