import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

export interface ProcessReference {
  readonly pid: number
  /** In clock ticks since the machine started: a process that got the same number later has another one. */
  readonly startTime: number
}

/** What tells this process from every other one, on any machine and across restarts. */
export interface ProcessIdentity extends ProcessReference {
  /** The shell or script that started this process. */
  readonly parent: ProcessReference
  readonly processGroup: number
  readonly bootId: string
  readonly machineId: string
  readonly user: string
  readonly host: string
}

export function processIdentity(): ProcessIdentity {
  const { startTime, processGroup } = statusOf(process.pid) ?? { startTime: 0, processGroup: process.pid }
  return {
    pid: process.pid,
    startTime,
    parent: { pid: process.ppid, startTime: statusOf(process.ppid)?.startTime ?? 0 },
    processGroup,
    bootId: firstLineOf('/proc/sys/kernel/random/boot_id'),
    machineId: firstLineOf('/etc/machine-id') || hostname(),
    user: userInfo().username,
    host: hostname(),
  }
}

export function isProcessAlive({ pid, startTime }: ProcessReference): boolean {
  return statusOf(pid)?.startTime === startTime
}

/** From proc(5): the name of the program, in parentheses, may itself hold spaces and parentheses. */
function statusOf(pid: number): { readonly startTime: number; readonly processGroup: number } | undefined {
  const stat = firstLineOf(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, , group] = fields
  if (state === undefined || state === '' || state === 'Z') return undefined
  return { startTime: Number(fields[19]), processGroup: Number(group) }
}

function firstLineOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n')[0] ?? ''
  } catch {
    return ''
  }
}
