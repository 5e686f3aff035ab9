import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { Readable, Writable } from 'node:stream'
import type { Outcome } from './coordinator.ts'
import { runProgram } from './installed-program.ts'
import { ownResources, type Resources } from './own-resources.ts'

export interface RunHere {
  /** Path of a program of an installation without its extension. */
  readonly program: string
  readonly words: readonly string[]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly input: string
}

const require = createRequire(import.meta.url)

/** Working directory of the tools that run in this process, and their number. */
const here = { directory: '', before: '', running: 0 }

/** Whether a tool can run in this process, which has only one working directory. */
export function isFree(directory: string): boolean {
  return here.running === 0 || here.directory === directory
}

function enterDirectory(directory: string): () => void {
  if (here.running === 0) Object.assign(here, { directory, before: process.cwd() })
  here.running += 1
  process.chdir(directory)
  return () => {
    here.running -= 1
    if (here.running === 0) process.chdir(here.before)
  }
}

/**
 * Runs a tool of an installation in this process, from its command line to its exit status, and ends what it leaves open. The tool
 * gets a process object, timers and modules of its own. It hears no signals, and does not evaluate programs of users.
 */
export function runHere(run: RunHere): Promise<Outcome> {
  const [stdout, stderr] = [collector(), collector()]
  const resources = ownResources({ ...run, write: (text) => stderr.stream.write(text) })
  const leave = enterDirectory(run.directory)
  return new Promise((resolve) => {
    const exit = (status: number): void => {
      if (resources.ended()) return
      process.emit('exit', status)
      resources.end()
      leave()
      resolve({ status, stdout: stdout.text(), stderr: stderr.text() })
    }
    const process = processOf(run, { stdout: stdout.stream, stderr: stderr.stream, resources, exit })
    const modules = { ...resources.modules, process }
    try {
      runProgram(run.program, {
        globals: { process, performance: clock(), ...resources.timers },
        require: (specifier) => moduleOf(specifier, modules),
      })
    } catch (error) {
      stderr.stream.write(error instanceof Error ? error.stack : String(error))
      exit(1)
    }
  })
}

function moduleOf(specifier: string, modules: Readonly<Record<string, unknown>>): unknown {
  const name = specifier.replace(/^node:/, '')
  return modules[name] ?? require(`node:${name}`)
}

interface Surroundings {
  readonly stdout: Writable
  readonly stderr: Writable
  readonly resources: Resources
  readonly exit: (status: number) => void
}

/** Makes the process object of a tool; what is not of the run is that of this process. */
function processOf({ program, words, environment, directory, input }: RunHere, own: Surroundings) {
  const { stdout, stderr, resources, exit } = own
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { fd: 0 })
  const { version, versions, platform, arch, execPath, nextTick, emitWarning, hrtime } = process
  const { getuid, geteuid, getgid, getegid, kill, umask, memoryUsage, cpuUsage } = process
  const same = { version, versions, platform, arch, execPath, nextTick, emitWarning, hrtime }
  const alike = { getuid, geteuid, getgid, getegid, kill, umask, memoryUsage, cpuUsage }
  const streams = { stdin, stdout: Object.assign(stdout, { fd: 1 }), stderr: Object.assign(stderr, { fd: 2 }) }
  const made = Object.assign(new EventEmitter(), same, alike, streams, {
    argv: [execPath, program, ...words],
    execArgv: [],
    env: { ...environment },
    ppid: process.pid,
    cwd: () => directory,
    exit,
    getBuiltinModule: (name: string) => BUILT_IN[name],
  })
  return Object.defineProperty(made, 'pid', { get: resources.pid, enumerable: true })
}

/** Modules of Node that a tool uses to change its process: what hears signals in a thread, and what keeps memory small. */
const BUILT_IN: Readonly<Record<string, unknown>> = {
  'node:v8': { setFlagsFromString() {} },
  'node:worker_threads': {
    Worker: class extends EventEmitter {
      unref() {}
      postMessage() {}
    },
  },
}

function clock() {
  const begun = performance.now()
  return { timeOrigin: performance.timeOrigin + begun, now: () => performance.now() - begun }
}

function collector() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}
