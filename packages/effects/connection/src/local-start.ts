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

/**
 * Some shells have no names for descriptors from 10 on. Without another shell, these stay open, but are /dev/null: see `startCommand`. A bash
 * whose input is a socket would read the files of the user.
 */
const CLOSE_HIGH = `then='eval "$1" && exec /bin/sh -c "$2"'
if command -v bash >/dev/null 2>&1; then exec bash --norc -pc "$then" sh "$@"; fi
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
  const given = textOf('/proc/1/comm').trim() === 'systemd' ? OF_SYSTEMD : new Map<string, number>()
  return LIMITS.flatMap(([name, option, unit]) => {
    const now = limitIn(own, name)
    const usual = limitIn(first, name)
    if (now === undefined || usual === undefined) return []
    const soft = Math.min(given.get(name) ?? usual.soft, usual.hard)
    const set = (kind: 'H' | 'S', value: number): string =>
      `ulimit -${kind} -${option} ${value === Infinity ? 'unlimited' : Math.floor(value / unit)}`
    return [
      ...(now.hard < usual.hard ? [set('H', usual.hard)] : []),
      // If that was refused, it is as high as possible.
      ...(now.soft === soft ? [] : [`${set('S', soft)} || ${set('S', now.hard)}`]),
    ].map(quietly)
  })
}

interface Limit {
  readonly soft: number
  readonly hard: number
}

function limitIn(limits: string, name: string): Limit | undefined {
  const start = `Max ${name} `
  const line = limits.split('\n').find((one) => one.startsWith(start))
  const words = line?.slice(start.length).trim().split(/\s+/) ?? []
  const [soft, hard] = words.map((word) => (word === 'unlimited' ? Infinity : Number(word)))
  return soft === undefined || hard === undefined ? undefined : { soft, hard }
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
