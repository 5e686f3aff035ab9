import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import net, { type Socket } from 'node:net'
import os from 'node:os'
import timersPromises from 'node:timers/promises'

/** What a tool opens in this process, and leaves open: at the end of a process, the system closes it. */
export interface Resources {
  /** Modules of Node by name, which keep what they open. */
  readonly modules: Readonly<Record<string, unknown>>
  /** Global functions by name. */
  readonly timers: Readonly<Record<string, unknown>>
  /** Number of a process that lives as long as the tool. */
  pid(): number
  ended(): boolean
  /** Closes everything, and lets nothing of the tool continue that waits for something. */
  end(): void
}

interface ResourcesOptions {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Writes to standard error. */
  readonly write: (text: string) => void
}

export function ownResources(options: ResourcesOptions): Resources {
  const { environment } = options
  const closers = new Set<() => void>()
  let isOver = false
  const state: State = {
    ended: () => isOver,
    keep(close) {
      closers.add(close)
      return () => void closers.delete(close)
    },
  }
  const timers = ownTimers(state)
  const children = ownProcesses(state, options)
  const files = ownFiles(state, options)
  return {
    timers,
    modules: {
      ...children.modules,
      ...files,
      net: ownSockets(state),
      os: { ...os, tmpdir: () => environment['TMPDIR'] ?? '/tmp', homedir: () => environment['HOME'] ?? os.homedir() },
      'timers/promises': ownDelays(state),
    },
    pid: children.pid,
    ended: () => isOver,
    end() {
      isOver = true
      for (const close of closers) close()
    },
  }
}

interface State {
  ended(): boolean
  /** Keeps what closes something until the returned function is called. */
  keep(close: () => void): () => void
}

type Callback = (...words: readonly unknown[]) => void

function ownTimers({ keep }: State): Readonly<Record<string, unknown>> {
  const once =
    <Timer>(start: (act: () => void, milliseconds?: number) => Timer, stop: (timer: Timer) => void) =>
    (act: Callback, milliseconds?: number, ...words: readonly unknown[]): Timer => {
      const timer = start(() => {
        forget()
        act(...words)
      }, milliseconds)
      const forget = keep(() => stop(timer))
      return timer
    }
  return {
    setTimeout: once(setTimeout, clearTimeout),
    setImmediate: (act: Callback, ...words: readonly unknown[]) =>
      once((run) => setImmediate(run), clearImmediate)(act, undefined, ...words),
    setInterval: (act: Callback, milliseconds?: number, ...words: readonly unknown[]) => {
      const timer = setInterval(act, milliseconds, ...words)
      keep(() => clearInterval(timer))
      return timer
    },
  }
}

/** Delays, after which nothing happens any more once the tool has ended. */
function ownDelays({ ended }: State): unknown {
  const held =
    <Words extends readonly unknown[]>(delay: (...words: Words) => Promise<unknown>) =>
    (...words: Words) =>
      new Promise((resolve, reject) => {
        delay(...words).then(
          (value) => ended() || resolve(value),
          (error: unknown) => ended() || reject(error as Error),
        )
      })
  const { setTimeout: after, setImmediate: soon } = timersPromises
  return { ...timersPromises, setTimeout: held(after), setImmediate: held(soon) }
}

function ownProcesses(state: State, { directory, environment }: ResourcesOptions) {
  const spawn = (program: string, words: readonly string[] = [], options: SpawnOptions = {}): ChildProcess => {
    if (JSON.stringify(options.stdio)?.includes('inherit')) throw needsProcess(`'${program}' gets its streams`)
    const child = childProcess.spawn(program, words, { cwd: directory, env: environment, ...options })
    const forget = state.keep(() => letGo(child))
    child.once('close', forget)
    return child
  }
  // What others look for by its number has ended when the tool has.
  let double: ChildProcess | undefined
  const pid = (): number => {
    if (double === undefined) {
      const stdio = ['pipe', 'ignore', 'ignore'] as const
      const started = childProcess.spawn('cat', { stdio: [...stdio], detached: true })
      state.keep(() => started.kill('SIGKILL'))
      double = started
    }
    return double.pid ?? 0
  }
  const refused = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawnSync'].map((name) => [
    name,
    () => {
      throw needsProcess(`it calls ${name}`)
    },
  ])
  return { pid, modules: { child_process: { ...childProcess, ...Object.fromEntries(refused), spawn } } }
}

/** Does what the end of a process does for a program that it has started, which continues, and is heard no more. */
function letGo(child: ChildProcess): void {
  child.removeAllListeners()
  child.unref()
  for (const stream of child.stdio) {
    stream?.removeAllListeners()
    stream?.on('error', () => {})
    stream?.destroy()
  }
}

function ownSockets({ keep }: State): unknown {
  const kept = (socket: Socket): Socket => {
    const forget = keep(() => {
      socket.removeAllListeners()
      socket.on('error', () => {}).destroy()
    })
    return socket.once('close', forget)
  }
  const connect = (...words: Parameters<typeof net.connect>) => kept(net.connect(...words))
  const createServer = (): never => {
    throw needsProcess('it listens')
  }
  return { ...net, connect, createConnection: connect, createServer }
}

function ownFiles({ keep }: State, { write }: ResourcesOptions) {
  const open$ = async (...words: Parameters<typeof open>) => {
    const handle = await open(...words)
    // Its type has no events.
    const { once } = handle as unknown as EventEmitter
    once.call(
      handle,
      'close',
      keep(() => void handle.close().catch(() => {})),
    )
    return handle
  }
  const forgetters = new Map<number, () => void>()
  const openSync = (...words: Parameters<typeof fs.openSync>): number => {
    const descriptor = fs.openSync(...words)
    forgetters.set(
      descriptor,
      keep(() => fs.closeSync(descriptor)),
    )
    return descriptor
  }
  const closeSync = (descriptor: number): void => {
    fs.closeSync(descriptor)
    forgetters.get(descriptor)?.()
  }
  const writeSync = (descriptor: number, ...words: readonly unknown[]): number => {
    if (descriptor === 2) return (write(String(words[0])), String(words[0]).length)
    return (fs.writeSync as (...all: readonly unknown[]) => number)(descriptor, ...words)
  }
  const promises = { ...fs.promises, open: open$ }
  return { fs: { ...fs, promises, openSync, closeSync, writeSync }, 'fs/promises': promises }
}

function needsProcess(why: string): Error {
  return new Error(`the tool needs a process of its own: ${why}; run it with \`process: true\``)
}
