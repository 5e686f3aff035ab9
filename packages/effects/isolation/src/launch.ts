import { DavitError, ExitStatus, parseBytes } from '@davit/diagnostics'
import type { Environment } from '@davit/process'

/** What a program may use, besides what it writes. */
export interface Limits {
  /** Memory of each process; half of what the machine has, if it is not given. */
  readonly memoryBytes?: number
  readonly processes: number
  /** Size of a file, in the unit of `ulimit -f`; not limited here, if it is not given. */
  readonly fileBlocks?: number
}

export interface Launch {
  readonly limits: Limits
  /** File with a filter of system calls, for the descriptor `FILTER`. */
  readonly filter?: string
  /** Directory that is bound to `REACHED`, in a mount namespace of this command. */
  readonly bound?: string
  /** Account that the command runs as. */
  readonly account?: number
  readonly command: readonly string[]
}

/** Where a directory is bound that an account cannot reach. */
export const REACHED = '/tmp'

/** The PATH for programs of `launch`: a command may have a hostile one. */
export const PATH_OF_LAUNCH = '/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Returns the words that start a command with limits. If memory runs out, the kernel ends it before anything else. Without an environment
 * of its own, it would look up programs where the command has its own.
 */
export function launch({ limits, filter = '', bound = '', account, command }: Launch): readonly [string, ...string[]] {
  const { memoryBytes, processes, fileBlocks = '' } = limits
  const memory = memoryBytes === undefined ? '' : Math.ceil(memoryBytes / 1024)
  const words = [filter, memory, processes, fileBlocks, bound].map(String)
  const become =
    account === undefined ? [] : ['setpriv', '--reuid', account, '--regid', account, '--clear-groups', '--']
  const line = ['/bin/sh', '-c', LAUNCH, 'davit-launch', ...words, ...become.map(String), ...command] as const
  return bound === '' ? line : ['unshare', '-m', '--', ...line]
}

// Shells call the limit on processes -u or -p; without /proc, memory is not limited.
const LAUNCH = `umask 022
[ -z "$1" ] || exec 9<"$1" || exit 125
[ -z "$5" ] || mount --bind "$5" ${REACHED} || exit 125
{
  echo 1000 >/proc/self/oom_score_adj
  memory=$2
  [ -n "$memory" ] || { read -r _ memory _ </proc/meminfo && memory=$((memory / 2)); }
  ulimit -c 0
  ulimit -d "$memory"
  ulimit -u "$3" || ulimit -p "$3"
  [ -z "$4" ] || ulimit -f "$4"
} 2>/dev/null
shift 5
exec "$@" 2>&1`

const MEMORY = 'DAVIT_MEMORY_LIMIT'
const PROCESSES = 'DAVIT_PROCESS_LIMIT'
const DEFAULT_PROCESSES = 4096

/** Reads the limits that the operator has set for all programs. */
export function limitsIn(environment: Environment): Limits {
  const memoryBytes = valueIn(environment, MEMORY, { parse: parseBytes, example: "a number of bytes, such as '8 GB'" })
  const processes = valueIn(environment, PROCESSES, { parse: parseCount, example: 'a number above 9' })
  return { processes: processes ?? DEFAULT_PROCESSES, ...(memoryBytes === undefined ? {} : { memoryBytes }) }
}

interface Reading {
  parse(text: string): number | undefined
  readonly example: string
}

function valueIn(environment: Environment, variable: string, { parse, example }: Reading): number | undefined {
  const text = environment[variable] || undefined
  if (text === undefined) return undefined
  const value = parse(text)
  if (value !== undefined) return value
  throw new DavitError('usage', `variable '${variable}' cannot be '${text}'`, {
    exitStatus: ExitStatus.usage,
    hint: `write ${example}`,
  })
}

function parseCount(text: string): number | undefined {
  return /^[1-9]\d{1,6}$/.test(text) ? Number(text) : undefined
}
