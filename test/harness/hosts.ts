import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const TEST_HOSTS = fileURLToPath(new URL('../../scripts/test-hosts', import.meta.url))
const run = promisify(execFile)

/** Whether hosts can be created: they are namespaces of this machine, which only root can make. */
export const HOSTS_POSSIBLE = process.getuid?.() === 0

export interface Host {
  readonly name: string
  readonly address: string
  /** Runs a shell script on the host as root, without ssh; rejects if it fails. */
  sh(script: string, ...args: readonly string[]): Promise<string>
  /** Runs a command of `scripts/test-hosts` that does something to the host. */
  befall(what: 'cut' | 'join' | 'quick' | 'reboot' | 'reinstall' | 'free'): Promise<void>
  /** Lets only so many bits a second pass to and from it, until it is `quick` again. */
  slow(bits: number): Promise<void>
  /** Ends its sshd with all connections, or starts it again. */
  sshd(command: 'stop' | 'start'): Promise<void>
  /** Leaves only the given number of bytes, and optionally of files, on its disk, until it is freed. */
  fill(bytes: number, files?: number): Promise<void>
}

export interface TestHosts {
  /** Directory of the set, with keys and the configuration for ssh. */
  readonly directory: string
  readonly hosts: readonly Host[]
  /** Address of this machine as the hosts see it. */
  readonly coordinatorAddress: string
  down(): Promise<void>
}

export interface HostOptions {
  readonly prefix: string
  /** Hosts with `systemd` are full, and it is their first process. */
  readonly kind?: 'full' | 'bare' | 'systemd'
  /** Host → platform that its Nix builds for, if it is not that of this machine. */
  readonly systems?: Readonly<Record<string, string>>
}

/** Brings up a set of hosts. The caller has to take it down. */
export async function bringUpHosts(
  count: number,
  { prefix, kind = 'full', systems = {} }: HostOptions,
): Promise<TestHosts> {
  const options = Object.entries(systems).map(([host, system]) => `--system=${host}=${system}`)
  if (kind !== 'full') options.push(`--${kind}`)
  const { stdout } = await run(TEST_HOSTS, ['up', String(count), '--name-prefix', prefix, ...options])
  const [directory = '', ...lines] = stdout.trimEnd().split('\n')
  const note = await noteSet(directory)
  const hosts = lines.map((line) => {
    const [name = '', address = ''] = line.split(' ')
    return hostIn(directory, { name, address })
  })
  return {
    directory,
    hosts,
    coordinatorAddress: (hosts[0]?.address ?? '').replace(/\d+$/, '1'),
    async down() {
      await run(TEST_HOSTS, ['down', directory])
      // The next set, of whomever, may have the same directory.
      if (note !== undefined) await rm(note, { force: true })
    },
  }
}

function hostIn(set: string, { name, address }: Pick<Host, 'name' | 'address'>): Host {
  return {
    name,
    address,
    async sh(script, ...args) {
      const command = ['exec', '--set', set, name, 'sh', '-c', script, 'sh', ...args]
      const { stdout } = await run(TEST_HOSTS, command, { maxBuffer: 16 * 1024 * 1024 })
      return stdout
    },
    befall: async (what) => void (await run(TEST_HOSTS, [what, '--set', set, name])),
    slow: async (bits) => void (await run(TEST_HOSTS, ['slow', '--set', set, name, String(bits)])),
    sshd: async (command) => void (await run(TEST_HOSTS, ['sshd', '--set', set, name, command])),
    async fill(bytes, files) {
      const left = files === undefined ? [bytes] : [bytes, files]
      await run(TEST_HOSTS, ['fill', '--set', set, name, ...left.map(String)])
    },
  }
}

/** Leaves a note for the script that started the tests, which takes the hosts down if the tests cannot. */
async function noteSet(set: string): Promise<string | undefined> {
  const { DAVIT_TEST_SETS: directory } = process.env
  if (!directory) return undefined
  const note = join(directory, randomUUID())
  await writeFile(note, `${set}\n`)
  await appendFile(join(directory, '.made'), `davit-test-hosts:${await readFile(join(set, 'id'), 'utf8')}`)
  return note
}
