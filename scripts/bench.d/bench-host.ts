import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textOf } from './measure.ts'
import type { Workplace } from './workplace.ts'

const TEST_HOSTS = fileURLToPath(new URL('../test-hosts', import.meta.url))

/** A host that receives packages in a benchmark. */
export interface BenchHost {
  readonly name: string
  /** Path of the configuration file for ssh. */
  readonly configuration: string
  /** Number of its first process, as seen from this machine. */
  readonly process: number
  /** Runs a shell script on the host as root, without ssh. */
  sh(script: string, ...parameters: readonly string[]): Promise<string>
}

/** Brings up hosts, and takes them down again after `use`. */
export async function withHosts<Result>(
  place: Workplace,
  count: number,
  use: (hosts: readonly BenchHost[]) => Promise<Result>,
): Promise<Result> {
  const options = { environment: { ...place.environment, TEST_HOST_DISK: '6g' }, directory: place.directory }
  const [set = ''] = (await textOf([TEST_HOSTS, 'up', String(count), '--name-prefix', 'bench'], options)).split('\n')
  // scripts/bench reads this note, and takes the host down if this process cannot.
  const notes = join(place.directory, 'sets')
  mkdirSync(notes, { recursive: true })
  const note = join(notes, set.replaceAll('/', '-'))
  writeFileSync(note, `${set}\n`)
  const host = (name: string): BenchHost => ({
    name,
    configuration: join(set, 'ssh_config'),
    process: Number(readFileSync(join(set, 'hosts', name, 'pid'), 'utf8')),
    sh: (script, ...parameters) =>
      textOf([TEST_HOSTS, 'exec', '--set', set, name, 'sh', '-ec', script, 'sh', ...parameters], options),
  })
  try {
    return await use(Array.from({ length: count }, (_, index) => host(`bench${index + 1}`)))
  } finally {
    await textOf([TEST_HOSTS, 'down', set], options)
    // The next set, of whomever, may have the same directory.
    rmSync(note)
  }
}

const RECORD = `
  cat >/usr/local/bin/record-session <<'END'
#!/bin/sh
mkdir -p /tmp/sessions
tee "/tmp/sessions/$$" | sh -c "$SSH_ORIGINAL_COMMAND"
END
  chmod 755 /usr/local/bin/record-session
  cp -p /root/.ssh/authorized_keys /tmp/authorized_keys
  sed -i 's|^|command="/usr/local/bin/record-session" |' /root/.ssh/authorized_keys`

/** Prints the operations of the sessions of helpers, in which `hello` follows the end of the script, and the number of all sessions. */
const OPERATIONS = `
  cp -p /tmp/authorized_keys /root/.ssh/authorized_keys
  for session in /tmp/sessions/*; do
    requests=$(sed '1,/^# end of davit-[0-9a-f]*$/d' "$session")
    case $requests in
      '1 hello'*) printf '%s\\n' "$requests" | cut -d ' ' -f 2 ;;
    esac
  done
  ls /tmp/sessions | wc -l
  rm -r /tmp/sessions`

export interface Recorded {
  /** The operations that were requested from the helper. */
  readonly operations: readonly string[]
  readonly sessions: number
}

/** Runs `doIt`, and returns the requests that the host received in the meantime. */
export async function recorded(host: BenchHost, doIt: () => Promise<unknown>): Promise<Recorded> {
  await host.sh(RECORD)
  await doIt()
  const lines = (await host.sh(OPERATIONS)).trimEnd().split('\n')
  const operations = lines.slice(0, -1)
  if (operations.length === 0) throw new Error(`no helper was asked anything on '${host.name}'`)
  return { operations, sessions: Number(lines.at(-1)) }
}
