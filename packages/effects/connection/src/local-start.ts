import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'

import { inheritedDescriptors } from '@davit/process'

import { READ_SCRIPT } from './bootstrap.ts'

/**
 * Command that starts a script on this machine as a login would: services that it starts must not have what belongs to the caller of this
 * process, as sshd sees to it elsewhere. Signals are as usual again in every program that Node.js starts.
 */
export function localStart(): readonly [string, ...string[]] {
  const descriptors = inheritedDescriptors()
  const closing = (numbers: readonly number[]): readonly string[] =>
    numbers.length === 0 ? [] : [`exec ${numbers.map((number) => `${number}>&-`).join(' ')}`]
  const start = [...closing(descriptors.filter(isDigit)), ...usualPriority(), ...usualLimits(), READ_SCRIPT].join('\n')
  const [high] = closing(descriptors.filter((number) => !isDigit(number)))
  return high === undefined ? ['/bin/sh', '-c', start] : ['/bin/sh', '-c', CLOSE_HIGH, 'sh', high, start]
}

const isDigit = (number: number): boolean => number < 10

/** Some shells have no names for descriptors from 10 on. Without another shell, these stay open, but are /dev/null: see `startCommand`. */
const CLOSE_HIGH = `then='eval "$1" && exec /bin/sh -c "$2"'
if command -v bash >/dev/null 2>&1; then exec bash -pc "$then" sh "$@"; fi
if command -v busybox >/dev/null 2>&1; then exec busybox sh -c "$then" sh "$@"; fi
eval "$2"`

/** Commands for what `nice`, `ionice`, `taskset` and the like have changed, as far as this account may change it back. */
function usualPriority(): readonly string[] {
  const processors = factIn('/proc/self/status', PROCESSORS)
  const usual = factIn('/proc/1/status', PROCESSORS)
  return [
    ...(getPriority() === 0 ? [] : ['renice 0 -p $$']),
    // It may be made lower, but what it was once set to by root is the least.
    ...(textOf('/proc/self/oom_score_adj').trim() === '0' ? [] : ['printf 0 >/proc/self/oom_score_adj']),
    ...(usual === undefined || usual === processors ? [] : [`taskset -pc ${usual} $$`]),
    'ionice -c 0 -p $$',
  ].map(quietly)
}

const PROCESSORS = /^Cpus_allowed_list:\s*([\d,-]+)$/m

/** Limits in the words of /proc, with the option of `ulimit` and its unit in bytes. */
const LIMITS: readonly (readonly [name: string, option: string, unit: number])[] = [
  ['cpu time', 't', 1],
  ['file size', 'f', 512],
  ['data size', 'd', 1024],
  ['stack size', 's', 1024],
  ['core file size', 'c', 512],
  ['resident set', 'm', 1024],
  ['open files', 'n', 1],
  ['locked memory', 'l', 1024],
  ['address space', 'v', 1024],
]

/** What systemd has raised for itself, and what it gives to services in its place. */
const OF_SYSTEMD = new Map([
  ['open files', 1024],
  ['locked memory', 8 * 1024 * 1024],
])

/**
 * Commands for limits that differ from those of the machine's first process. Only root may raise the hard ones. Node.js raises that of open
 * files for itself.
 */
function usualLimits(): readonly string[] {
  const own = textOf('/proc/self/limits')
  const first = textOf('/proc/1/limits')
  const isSystemd = textOf('/proc/1/comm').trim() === 'systemd'
  return LIMITS.flatMap(([name, option, unit]) => {
    const [soft, hard] = limitIn(own, name)
    const [usual, highest] = limitIn(first, name)
    if (soft === undefined || hard === undefined || usual === undefined || highest === undefined) return []
    const wanted = Math.min(isSystemd ? (OF_SYSTEMD.get(name) ?? usual) : usual, highest)
    const raised = hard < highest ? [`ulimit -H -${option} ${inUnits(highest, unit)}`] : []
    // Raising it may be refused; then it is as high as possible.
    const softened =
      wanted > hard
        ? [`ulimit -S -${option} ${inUnits(wanted, unit)} || ulimit -S -${option} ${inUnits(hard, unit)}`]
        : [`ulimit -S -${option} ${inUnits(wanted, unit)}`]
    return [...raised, ...(soft === wanted ? [] : softened)].map(quietly)
  })
}

function limitIn(limits: string, name: string): readonly [number?, number?] {
  const words = limits
    .split('\n')
    .find((line) => line.startsWith(`Max ${name} `))
    ?.slice(`Max ${name} `.length)
    .trim()
    .split(/\s+/)
  if (words === undefined || words.length < 2) return []
  const [soft = 0, hard = 0] = words.map((word) => (word === 'unlimited' ? Infinity : Number(word)))
  return [soft, hard]
}

function inUnits(value: number, unit: number): string {
  return value === Infinity ? 'unlimited' : String(Math.floor(value / unit))
}

function quietly(command: string): string {
  return `{ ${command}; } >/dev/null 2>&1`
}

function factIn(file: string, fact: RegExp): string | undefined {
  return fact.exec(textOf(file))?.[1]
}

/** Empty if the file cannot be read, as that of a process that is hidden. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
