import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Host } from '../../harness/hosts.ts'
import { linkAt, namesBelow, namesIn, textOf } from './look.ts'

/** State of a host, observed without ssh and without davit. */
export interface Survey {
  readonly host: string
  readonly bootId: string
  /** `TARGET:CONTAINER:KEY` of each process of a service; a service that runs twice is listed twice. */
  readonly running: readonly string[]
  /** `TARGET:CONTAINER:KEY STATE` of all records. */
  readonly records: readonly string[]
  readonly journal: readonly JournalEntry[]
  /** Store path of the current profile. */
  readonly profile: string
  readonly generations: readonly number[]
  /** `COMPONENT ROW` of all state on the host. */
  readonly rows: readonly string[]
  /** Whether the host goes back by itself unless somebody confirms; after a restart it may wait until davit connects. */
  readonly trial: 'none' | 'armed' | 'waiting'
  /** Names of the packages that are valid. */
  readonly stored: readonly string[]
  /** Files of davit that should not outlive a run but do. */
  readonly leftFiles: readonly string[]
  /** Processes that should not outlive a run but do. */
  readonly leftProcesses: readonly string[]
}

export interface JournalEntry {
  readonly time: bigint
  readonly event: 'activating' | 'up' | 'broken' | 'doubled' | 'deactivating' | 'down' | 'rebooted'
  readonly service: string
  readonly instance: string
  readonly host: string
}

export interface SurveyPlace {
  /** Directory of the set of hosts. */
  readonly directory: string
  readonly hosts: readonly Pick<Host, 'name'>[]
  readonly storeDirectory: string
}

/**
 * Surveys the hosts from outside, through their first processes, without starting anything. Hundreds of small files are read
 * synchronously, since promises for each of them would take several times as long.
 */
export function survey({ directory, hosts, storeDirectory }: SurveyPlace): readonly Survey[] {
  return hosts.map(({ name }) => {
    const pid = readFileSync(join(directory, 'hosts', name, 'pid'), 'utf8').trim()
    return surveyOf(name, `/proc/${pid}/root`, storeDirectory)
  })
}

function surveyOf(host: string, root: string, storeDirectory: string): Survey {
  const target = join(root, 'var/lib/davit/targets', host)
  const store = join(root, storeDirectory)
  const processes = processesIn(root)
  const current = linkAt(join(target, 'profiles/default/current'))
  return {
    host,
    bootId: textOf(join(root, 'proc/sys/kernel/random/boot_id')).trim(),
    running: processes.flatMap(({ instance }) => (instance === undefined ? [] : [instance])).toSorted(),
    records: recordsIn(join(target, 'active/default'), host),
    journal: namesIn(join(root, 'var/log/davit-faults'))
      .toSorted()
      .map((name) => parseEntry(host, name)),
    profile: linkAt(join(target, 'profiles/default', current)),
    generations: namesIn(join(target, 'profiles/default'))
      .flatMap((name) => /^(\d+)-link$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((left, right) => left - right),
    rows: rowsIn(join(root, 'var/lib/davit-faults', host)),
    trial: trialIn(join(target, 'trials/default'), processes),
    stored: namesIn(join(store, '.davit/registrations')).map((name) => basename(name, '.json')),
    leftFiles: leftIn(root, storeDirectory),
    leftProcesses: processes
      .filter(({ instance, command }) => instance === undefined && command !== '' && !OUR_OWN.test(command))
      .map(({ pid, command }) => `${pid} ${command}`),
  }
}

/** Commands of the listening sshd, and of a host's first process and its child. */
const OUR_OWN = /^(sshd: \/usr\/sbin\/sshd .*\[listener\]|\/usr\/sbin\/sshd |\/bin\/busybox (sleep|sh -c cd \/))/

function processesIn(root: string) {
  const pids = namesIn(join(root, 'proc')).filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => {
    const [environment, command] = ['environ', 'cmdline'].map((file) => textOf(join(root, 'proc', pid, file)))
    const instance = /(?:^|\0)DAVIT_INSTANCE=([^\0]*)/.exec(environment!)?.[1]
    return { pid, instance, command: command!.replaceAll(/[\0\n]/g, ' ').slice(0, 100) }
  })
}

function trialIn(directory: string, processes: ReturnType<typeof processesIn>): Survey['trial'] {
  if (namesIn(directory).length === 0) return 'none'
  return processes.some(({ command }) => command.includes('trials/default/script')) ? 'armed' : 'waiting'
}

function rowsIn(directory: string): readonly string[] {
  return namesIn(directory).flatMap((component) =>
    namesIn(join(directory, component)).map((row) => `${component} ${row}`),
  )
}

function recordsIn(directory: string, host: string): readonly string[] {
  return namesIn(directory)
    .filter((name) => name.includes(':'))
    .map((name) => `${host}:${name} ${stateIn(join(directory, name))}`)
    .toSorted()
}

/** Returns the state in the first line. On a full disk it is written over a longer text, whose rest remains below. */
function stateIn(directory: string): string {
  return textOf(join(directory, 'state')).split('\n', 1)[0] || 'none'
}

const LEFT = /(\.new[^/]*|^\.gone\.[^/]*|^mutex|^running(\..*)?|^module|^output|^holder|\.after\.[^/]*|\.lock|^commit)$/

function leftIn(root: string, storeDirectory: string): readonly string[] {
  const isLeft = (path: string) => LEFT.test(basename(path)) || path.includes('incoming/')
  const store = ['', '.davit', '.davit/incoming'].flatMap((directory) =>
    namesIn(join(root, storeDirectory, directory))
      .map((name) => join(storeDirectory, directory, name))
      .filter((path) => path.includes('/incoming/') || /\.new[^/]*$|\.lock$/.test(path)),
  )
  const temporary = namesIn(join(root, 'tmp')).map((name) => `/tmp/${name}`)
  return [
    ...namesBelow(join(root, 'var/lib/davit'))
      .filter((path) => isLeft(path) && !/^targets\/[^/]*\/log\//.test(path))
      .map((path) => `/var/lib/davit/${path}`),
    ...store,
    ...temporary.filter((path) => !storeDirectory.startsWith(`${path}/`)),
  ]
}

function parseEntry(host: string, line: string): JournalEntry {
  const [time = '0', event = '', service = '', instance = ''] = line.split(' ')
  return { time: BigInt(time), event: event as JournalEntry['event'], service, instance, host }
}

/** Shell script that removes all traces of davit from a host. */
export const FORGET = `
for directory in /proc/[0-9]*; do
  grep -qsz '^DAVIT_' "$directory/environ" && kill -9 "\${directory#/proc/}"
done
chmod -R u+w "$1" 2>/dev/null
rm -rf "$1" /var/lib/davit /var/lib/davit-faults /var/log/davit-faults /run/davit-faults.hold /run/davit-faults.fail`

/** Returns the journals of all hosts, merged in order of time. */
export function journalOf(surveys: readonly Survey[]): readonly JournalEntry[] {
  return surveys
    .flatMap(({ journal }) => journal)
    .toSorted((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0))
}
