import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

/** What tells a process from every other one on a machine, also from later ones that get its number. */
export interface ProcessReference {
  readonly pid: number
  /** In clock ticks since the machine started; zero where nobody can tell. */
  readonly startTime: number
  /** Of its PID namespace, as numbers mean nothing in another one; empty on systems without /proc. */
  readonly namespace: string
}

/** The same on any machine and across restarts. */
export interface ProcessIdentity extends ProcessReference {
  /** The shell or script that started this process. */
  readonly parent: ProcessReference
  readonly processGroup: number
  /** Empty where nobody can tell. */
  readonly bootId: string
  /** Empty on machines without one, as most containers are. */
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
    machineId: /^[0-9a-f]{32}$/.exec(firstLineOf('/etc/machine-id'))?.[0] ?? '',
    user: userName(),
    host: hostname(),
  }
}

/** True only for a process of which it is certain. One that cannot be read may live: `hidepid` hides those of other users. */
export function isProcessGone({ pid, startTime, namespace }: ProcessReference): boolean {
  if (namespace === '' || namespace !== pidNamespace()) return false
  const stat = statOf(pid)
  if (stat === '') return !hasProcess(pid)
  const status = parseStatus(stat)
  return status === undefined || (startTime !== 0 && status.startTime !== startTime)
}

/** Whether the machine was certainly restarted since: a host name alone says nothing, since containers on different machines may share one. */
export function wasRestartedSince(then: BootIdentity, here: BootIdentity): boolean {
  const isKnown = [then.bootId, then.machineId, here.bootId].every((id) => id !== '')
  const isHere = then.machineId === here.machineId && then.host === here.host
  return isKnown && isHere && then.bootId !== here.bootId
}

type BootIdentity = Pick<ProcessIdentity, 'bootId' | 'machineId' | 'host'>

/** Whether the process is this one or one that it comes from; nothing where nobody can tell, as in another PID namespace. */
export function comesFrom({ pid, startTime, namespace }: ProcessReference): boolean | undefined {
  if (namespace === '' || namespace !== pidNamespace()) return undefined
  for (let current = process.pid; current > 0;) {
    const status = statusOf(current)
    if (status === undefined) return undefined
    if (current === pid) return startTime === 0 ? undefined : status.startTime === startTime
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

function statusOf(pid: number): ProcessStatus | undefined {
  return parseStatus(statOf(pid))
}

function statOf(pid: number): string {
  return textOf(`/proc/${pid}/stat`)
}

/** Only ESRCH says that there is none; EPERM says that there is one, and any other error says nothing. */
function hasProcess(pid: number): boolean {
  if (pid < 1) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** From proc(5): the name of the program, in parentheses, may itself hold anything. */
function parseStatus(stat: string): ProcessStatus | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group] = fields
  if (state === undefined || state === '' || 'ZX'.includes(state)) return undefined
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
