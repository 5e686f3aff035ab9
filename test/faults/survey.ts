import type { Host } from '../harness/hosts.ts'

/** What a host shows, without ssh and without davit. */
export interface Survey {
  readonly host: string
  readonly bootId: string
  /** `TARGET:CONTAINER:KEY` of each process of a service, as often as it runs. */
  readonly running: readonly string[]
  /** `TARGET:CONTAINER:KEY STATE` of all records. */
  readonly records: readonly string[]
  readonly journal: readonly JournalEntry[]
  /** The package that is the current profile, and the numbers of the generations. */
  readonly profile: string
  readonly generations: readonly number[]
  /** Files of davit that should not outlive a run. */
  readonly leftFiles: readonly string[]
  /** Processes that should not outlive a run. */
  readonly leftProcesses: readonly string[]
}

export interface JournalEntry {
  readonly time: bigint
  readonly event: 'activating' | 'up' | 'doubled' | 'deactivating' | 'down' | 'rebooted'
  readonly service: string
  readonly instance: string
  readonly host: string
}

const SCRIPT = `
echo "boot $(cat /proc/sys/kernel/random/boot_id)"
for directory in /proc/[0-9]*; do
  pid=\${directory#/proc/}
  instance=$(tr '\\0' '\\n' <"$directory/environ" 2>/dev/null | sed -n 's/^DAVIT_INSTANCE=//p')
  if [ -n "$instance" ]; then
    echo "running $instance"
  elif [ "$pid" != 1 ] && [ "$pid" != $$ ] && command=$(tr '\\0\\n' '  ' <"$directory/cmdline" 2>/dev/null) && [ -n "$command" ]; then
    printf 'process %s %.100s\\n' "$pid" "$command"
  fi
done
cd /var/lib/davit/targets/"$1" 2>/dev/null && {
  for directory in active/default/*:*; do
    [ ! -d "$directory" ] || echo "record $1:\${directory##*/} $(cat "$directory/state" 2>/dev/null || echo none)"
  done
  echo "profile $(readlink -f profiles/default/current)"
  ls profiles/default 2>/dev/null | sed -n 's/^\\([0-9]*\\)-link$/generation \\1/p'
}
find /var/lib/davit \\( -name '*.new*' -o -name '.gone.*' -o -name mutex -o -name running -o -name 'running.*' -o -name module \\
  -o -name output -o -name holder -o -name '*.after.*' -o -name '*.lock' -o -name commit -o -path '*incoming*/*' \\) ! -path '/var/lib/davit/targets/*/log/*' 2>/dev/null |
  sed 's/^/left /'
find "$2" -maxdepth 2 \\( -path '*incoming/*' -o -name '*.new*' -o -name '*.lock' \\) 2>/dev/null | sed 's/^/left /'
find /tmp -mindepth 1 -maxdepth 1 ! -path "\${2%/*}" 2>/dev/null | sed 's/^/left /'
sed 's/^/journal /' /var/log/davit-faults 2>/dev/null
:`

export async function survey(hosts: readonly Host[], storeDirectory: string): Promise<readonly Survey[]> {
  return Promise.all(
    hosts.map(async (host) => parseSurvey(host.name, await host.sh(SCRIPT, host.name, storeDirectory))),
  )
}

function parseSurvey(host: string, text: string): Survey {
  const lines = text.split('\n')
  const all = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  return {
    host,
    bootId: all('boot')[0] ?? '',
    running: all('running').toSorted(),
    records: all('record').toSorted(),
    journal: all('journal').map((line) => parseEntry(host, line)),
    profile: all('profile')[0] ?? '',
    generations: all('generation').map(Number),
    leftFiles: all('left'),
    leftProcesses: all('process').filter((line) => !OUR_OWN.test(line)),
  }
}

/** sshd that listens, what the first process of a host waits for, and what surveys. */
const OUR_OWN =
  /^\d+ (sshd: \/usr\/sbin\/sshd .*\[listener\]|\/usr\/sbin\/sshd |\/bin\/busybox sleep|sh -c \s*echo "boot|(tr|cat|sed|find|sh -c cd && exec) )/

function parseEntry(host: string, line: string): JournalEntry {
  const [time = '0', event = '', service = '', instance = ''] = line.split(' ')
  return { time: BigInt(time), event: event as JournalEntry['event'], service, instance, host }
}

export const FORGET = `
for directory in /proc/[0-9]*; do
  grep -qsz '^DAVIT_' "$directory/environ" && kill -9 "\${directory#/proc/}"
done
chmod -R u+w "$1" 2>/dev/null
rm -rf "$1" /var/lib/davit /var/log/davit-faults /run/davit-faults.hold`

/** The journals of all hosts in order of time. */
export function journalOf(surveys: readonly Survey[]): readonly JournalEntry[] {
  return surveys
    .flatMap(({ journal }) => journal)
    .toSorted((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0))
}
