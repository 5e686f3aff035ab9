import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from './scratch.ts'

const STRACE = '/usr/bin/strace'

/** Why system calls cannot be traced here, if so. */
export const noStrace: string | undefined = whyNot()

/** Returns the beginning of a command line whose system calls of these names are written to a file. */
export function stracing(file: string, ...calls: readonly string[]): readonly string[] {
  return [STRACE, '-f', '-y', '-qq', '-s', '4096', '-e', `trace=${calls.join(',')}`, '-o', file]
}

/** System calls that make files durable. */
export const DURABILITY = ['fsync', 'fdatasync', 'sync', 'syncfs', 'rename', 'renameat', 'renameat2', 'openat'] as const

/**
 * Returns the traced steps in order: `synced PATH` and `synced everything` at their end, `renamed FROM TO` at its beginning, and
 * `created MODE PATH` with the requested mode.
 */
export function durableSteps(file: string): readonly string[] {
  const begun = new Map<string, string>()
  const wholeCall = (pid: string, call: string): string => {
    if (!call.endsWith(UNFINISHED)) return call.replace(/^<\.\.\. \w+ resumed>/, begun.get(pid) ?? '')
    begun.set(pid, call.slice(0, -UNFINISHED.length))
    return ''
  }
  const lines = readFileSync(file, 'utf8').matchAll(/^(\d+) +(.*)$/gm)
  return [...lines].flatMap(([, pid = '', call = '']) => stepOf(wholeCall(pid, call)))
}

/** Returns the steps of a compiled program, which runs with umask 0; throws if it prints an error. */
export function durableStepsOf(program: string): readonly string[] {
  const calls = join(scratchDirectory(), 'calls')
  const [strace = '', ...traced] = stracing(calls, ...DURABILITY)
  const node = ['sh', '-c', 'umask 0; exec "$@"', 'sh', process.execPath, program]
  const { stderr } = spawnSync(strace, [...traced, ...node], { encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  return durableSteps(calls)
}

const UNFINISHED = ' <unfinished ...>'

function stepOf(call: string): readonly string[] {
  if (!/\) += (\d|\d+<.*>)$/.test(call)) return []
  return STEPS.flatMap(([pattern, step]) => {
    const found = pattern.exec(call)
    return found === null ? [] : [step(...found.slice(1))]
  })
}

const STEPS: readonly (readonly [call: RegExp, step: (...found: string[]) => string])[] = [
  [/^(?:fsync|fdatasync)\(\d+<(.*?)>\)/, (path) => `synced ${path}`],
  [/^sync(?:fs)?\(/, () => 'synced everything'],
  [/^rename(?:at2?)?\(.*?"(.*?)",.*?"(.*?)"/, (from, to) => `renamed ${from} ${to}`],
  [/^openat\(.*?"(.*?)", [A-Z_|]*O_CREAT[A-Z_|]*, (0\d+)\)/, (path, mode) => `created ${mode} ${path}`],
]

function whyNot(): string | undefined {
  if (spawnSync(STRACE, ['-f', '-o', '/dev/null', 'true']).status === 0) return undefined
  console.warn('SKIPPED: tests of system calls, which need strace')
  return 'strace is missing'
}
