import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

/** Identifies a process on a machine, even among later ones with the same number. */
export interface ProcessReference {
  readonly pid: number
  /** In clock ticks since the machine started; zero if unknown. */
  readonly startTime: number
  /** Number of the PID namespace in which `pid` is valid; empty on systems without /proc. */
  readonly namespace: string
}

/** Identifies a process on any machine and across restarts. */
export interface ProcessIdentity extends ProcessReference {
  /** The shell or script that started this process. */
  readonly parent: ProcessReference
  readonly processGroup: number
  /** Empty if unknown. */
  readonly bootId: string
  /** Empty on machines without one, as most containers are. */
  readonly machineId: string
  readonly user: string
  readonly host: string
}

/** Refers to this process. */
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

/** Number of the account with whose rights this process acts. */
export function accountId(): number {
  return process.geteuid?.() ?? -1
}

/** Whether a process is certainly gone. One that cannot be read may live: `hidepid` hides processes of other users. */
export function isProcessGone({ pid, startTime, namespace }: ProcessReference): boolean {
  if (namespace === '' || namespace !== pidNamespace()) return false
  const stat = statOf(pid)
  if (stat === '') return !hasProcess(pid)
  const status = parseStatus(stat)
  return status === undefined || (startTime !== 0 && status.startTime !== startTime)
}

/** Whether a process certainly lives; it may also live if this cannot be told. */
export function isProcessAlive({ pid, startTime, namespace }: ProcessReference): boolean {
  if (namespace === '' || namespace !== pidNamespace()) return false
  return startTime !== 0 && statusOf(pid)?.startTime === startTime
}

/** Whether the machine has certainly been restarted since. A host name proves nothing: containers on different machines may share it. */
export function wasRestartedSince(then: BootIdentity, here: BootIdentity): boolean {
  const isKnown = [then.bootId, then.machineId, here.bootId].every((id) => id !== '')
  const isHere = then.machineId === here.machineId && then.host === here.host
  return isKnown && isHere && then.bootId !== here.bootId
}

type BootIdentity = Pick<ProcessIdentity, 'bootId' | 'machineId' | 'host'>

/** Whether a process is this one or an ancestor of it; nothing if that is unknown, as in another PID namespace. */
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

/** Encodes a reference for use in a file name, without `-` and `/`. */
export function encodeProcessReference({ namespace, pid, startTime }: ProcessReference): string {
  return `${namespace}.${pid}.${startTime}`
}

export function parseProcessReference(text: string): ProcessReference | undefined {
  const [, namespace, pid, startTime] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? []
  return namespace === undefined ? undefined : { namespace, pid: Number(pid), startTime: Number(startTime) }
}

/** Name of this user, or the number where there is no name, as in containers. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}

/** Pid of whoever called the tool: `davit TOOL` is between the two, and ends with the tool. */
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

/** Only ESRCH means that there is no such process; EPERM means that there is one, and any other error means nothing. */
function hasProcess(pid: number): boolean {
  if (pid < 1) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Parses /proc/PID/stat; the name of the program, in parentheses, may itself contain anything: proc(5). */
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
