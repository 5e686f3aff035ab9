import { readFileSync, readlinkSync } from 'node:fs'

/**
 * What tells this process from every other, also from later ones with its number: PID namespace, number, start time.
 * Nothing on systems without /proc.
 */
export function processIdentity(): string | undefined {
  const status = readStatus('self')
  const namespace = pidNamespace()
  return status === undefined || namespace === undefined ? undefined : `${namespace}.${status.pid}.${status.startTime}`
}

/** True only for a process of which it is certain. */
export function isGone(identity: string): boolean {
  const [namespace, pid, startTime] = identity.split('.')
  if (namespace === undefined || pid === undefined || namespace !== pidNamespace()) return false
  return readStatus(pid)?.startTime !== startTime
}

function pidNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
  } catch {
    return undefined
  }
}

/** The fields of /proc/PID/stat (proc_pid_stat(5)); the second one, the name, may contain anything. */
function readStatus(process: string): { readonly pid: string; readonly startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${process}/stat`, 'latin1')
    const pid = text.slice(0, text.indexOf(' '))
    const startTime = text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
    return startTime === undefined ? undefined : { pid, startTime }
  } catch {
    return undefined
  }
}
