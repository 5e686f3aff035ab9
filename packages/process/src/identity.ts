import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

/** What tells a process from every other one on a machine, also from later ones that get its number. */
export interface ProcessReference {
  readonly pid: number
  /** In clock ticks since the machine started. */
  readonly startTime: number
  /** Of its PID namespace, as numbers mean nothing in another one; empty on systems without /proc. */
  readonly namespace: string
}

/** The same on any machine and across restarts. */
export interface ProcessIdentity extends ProcessReference {
  /** The shell or script that started this process. */
  readonly parent: ProcessReference
  readonly processGroup: number
  readonly bootId: string
  readonly machineId: string
  readonly user: string
  readonly host: string
}

/** This process. */
export function processReference(): ProcessReference {
  return referenceTo(process.pid)
}

export function processIdentity(): ProcessIdentity {
  return {
    ...processReference(),
    parent: referenceTo(callerPid()),
    processGroup: statusOf(process.pid)?.processGroup ?? process.pid,
    bootId: firstLineOf('/proc/sys/kernel/random/boot_id'),
    machineId: firstLineOf('/etc/machine-id') || hostname(),
    user: userName(),
    host: hostname(),
  }
}

/** True only for a process of which it is certain. */
export function isProcessGone({ pid, startTime, namespace }: ProcessReference): boolean {
  if (namespace === '' || namespace !== pidNamespace()) return false
  return statusOf(pid)?.startTime !== startTime
}

/** Whether the process is this one or one that it comes from; nothing where nobody can tell, as in another PID namespace. */
export function comesFrom({ pid, startTime, namespace }: ProcessReference): boolean | undefined {
  if (namespace === '' || namespace !== pidNamespace()) return undefined
  for (let current = process.pid; current > 0;) {
    const status = statusOf(current)
    if (status === undefined) return undefined
    if (current === pid) return status.startTime === startTime
    current = status.parent
  }
  return false
}

/** As part of a file name, without `-` and `/`. */
export function encodeProcessReference({ namespace, pid, startTime }: ProcessReference): string {
  return `${namespace}.${pid}.${startTime}`
}

export function parseProcessReference(text: string): ProcessReference | undefined {
  const [, namespace, pid, startTime] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? []
  return namespace === undefined ? undefined : { namespace, pid: Number(pid), startTime: Number(startTime) }
}

/** A number where no name goes with it, as in containers. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}

/** `davit TOOL` stands between the tool and who called it, and ends with the tool. */
function callerPid(): number {
  const caller = Number(process.env['DAVIT_CALLER'])
  return Number.isInteger(caller) && statusOf(caller) !== undefined ? caller : process.ppid
}

function referenceTo(pid: number): ProcessReference {
  return { pid, startTime: statusOf(pid)?.startTime ?? 0, namespace: pidNamespace() }
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
  } catch {
    return ''
  }
}

interface ProcessStatus {
  readonly startTime: number
  readonly processGroup: number
  readonly parent: number
}

/** From proc(5): the name of the program, in parentheses, may itself hold anything. */
function statusOf(pid: number): ProcessStatus | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group] = fields
  if (state === undefined || state === '' || state === 'Z') return undefined
  return { startTime: Number(fields[19]), processGroup: Number(group), parent: Number(parent) }
}

function firstLineOf(file: string): string {
  return textOf(file).split('\n')[0] ?? ''
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
