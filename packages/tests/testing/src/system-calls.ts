import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from './scratch.ts'

const STRACE = '/usr/bin/strace'

/** Why no system calls can be seen here; nothing when they can. */
export const noStrace: string | undefined = whyNot()

/** The beginning of a command line whose system calls of these names go to a file. */
export function stracing(file: string, ...calls: readonly string[]): readonly string[] {
  return [STRACE, '-f', '-y', '-qq', '-s', '4096', '-e', `trace=${calls.join(',')}`, '-o', file]
}

/** What makes files durable. */
export const DURABILITY = ['fsync', 'fdatasync', 'sync', 'syncfs', 'rename', 'renameat', 'renameat2', 'openat'] as const

/**
 * What was done, in its order: `synced PATH` when that had ended, `synced everything`, `renamed FROM TO` when that began. A file that was
 * created is `created MODE PATH`, with the mode that was asked for.
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

/** What a program in TypeScript does, whatever the umask; throws if it says that something is wrong. */
export function durableStepsOf(program: string): readonly string[] {
  const calls = join(scratchDirectory(), 'calls')
  const [strace = '', ...traced] = stracing(calls, ...DURABILITY)
  // Imports come first in any case.
  const script = `process.umask(0)\n${program}`
  const node = [process.execPath, '--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script]
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
  return 'there is no strace'
}
