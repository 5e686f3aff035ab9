import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isMishap, isOfHolder, type Kind, type Mishap, type Strike } from './fault.ts'
import { partsOf } from './points.ts'
import type { Holder } from '../drive/holder.ts'
import type { System } from '../drive/system.ts'

const OUTSIDE = fileURLToPath(new URL('outside', import.meta.url))
const HOLD = '/run/davit-faults.hold'

/** Returns a shell command that interrupts. $1 is the process at the point, $2 the address of the host of the point. */
export function commandOf(kind: Kind, system: System, { pace, holder }: Circumstances): string {
  return `${pace === 'held' ? holdCommand(system) : ''}${strikeCommand(kind, system, holder)}`
}

interface Circumstances {
  readonly pace: 'usual' | 'held'
  /** The davit-connect that holds the connections of the run. */
  readonly holder: Holder | undefined
}

function strikeCommand(kind: Kind, system: System, holder: Holder | undefined): string {
  if (isMishap(kind)) return mishapCommand(kind, system)
  if (!isOfHolder(kind)) return signalCommand(kind)
  if (holder === undefined) throw new Error(`'${kind}' needs a davit-connect`)
  return kind === 'connect:KILL' ? `kill -s KILL ${holder.pid}` : `rm '${holder.socket}'`
}

function signalCommand(kind: string): string {
  const [victim = '', signal = ''] = kind.split(':')
  const whom = victim === 'env' ? '"$1"' : '-- "-$1"'
  return `kill -s ${signal} ${whom}`
}

const BEGINNINGS = {
  cut: 'cut',
  sshd: 'stop-sshd',
  reboot: 'reboot',
  reinstall: 'reinstall',
  fill: 'fill',
  fail: 'break',
} as const
const ENDS: Readonly<Record<string, string>> = { cut: 'join', sshd: 'start-sshd', fill: 'free', fail: 'mend' }

function mishapCommand(kind: Mishap, { set }: System): string {
  const cases = set.hosts.map(
    ({ address, name }) => `${address}) exec '${OUTSIDE}' ${BEGINNINGS[kind]} ${set.directory} ${name} ;;`,
  )
  return `case $2 in ${cases.join(' ')} esac`
}

/** Returns a command that holds up activities, and is fast enough for those that have just begun. */
function holdCommand({ set }: System): string {
  const files = set.hosts.map(({ name }) => `"/proc/$(cat ${set.directory}/hosts/${name}/pid)/root${HOLD}"`)
  return `touch ${files.join(' ')}; `
}

/** Releases the activities that are held up. */
export async function release({ set }: System): Promise<void> {
  await Promise.all(set.hosts.map((host) => host.sh(`rm -f ${HOLD}`)))
}

/** Ends an interruption that lasts, such as a cut network. */
export async function mend({ kind, point }: Strike, { set }: System): Promise<void> {
  const command = ENDS[kind]
  if (command === undefined) return
  await promisify(execFile)(OUTSIDE, [command, set.directory, partsOf(point).host])
}
