import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
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
  /**
   * Returns where this machine finds a file of the running host, which is read so without a process. Absolute links in it lead to files
   * of this machine.
   */
  inside(path: string): string
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
      const command = ['--target', firstProcess(set, name), ...NAMESPACES, 'sh', '-c', `cd; umask 022\n${script}`, 'sh']
      const { stdout } = await run('nsenter', [...command, ...args], { env: ROOT, maxBuffer: 16 * 1024 * 1024 })
      return stdout
    },
    inside: (path) => `/proc/${firstProcess(set, name)}/root${path}`,
    befall: async (what) => void (await run(TEST_HOSTS, [what, '--set', set, name])),
    slow: async (bits) => void (await run(TEST_HOSTS, ['slow', '--set', set, name, String(bits)])),
    sshd: async (command) => void (await run(TEST_HOSTS, ['sshd', '--set', set, name, command])),
    async fill(bytes, files) {
      const left = files === undefined ? [bytes] : [bytes, files]
      await run(TEST_HOSTS, ['fill', '--set', set, name, ...left.map(String)])
    },
  }
}

/** As `test-hosts exec` enters a host. It is called so often that the starts of that script would count. */
const NAMESPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--']
const ROOT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  USER: 'root',
  LOGNAME: 'root',
  TERM: 'dumb',
}

/** Returns the number of the first process of a host, which is another one after each start. */
function firstProcess(set: string, name: string): string {
  const pid = readFileSync(join(set, 'hosts', name, 'pid'), 'utf8').trim()
  const marker = `davit-test-host:${readFileSync(join(set, 'id'), 'utf8').trim()}`
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  if (!words.includes(marker)) throw new Error(`the host '${name}' is not running`)
  return pid
}

/** Returns the names in a directory of a host; none if it does not exist. */
export function namesIn(host: Host, directory: string): readonly string[] {
  return orMissing(() => readdirSync(host.inside(directory))) ?? []
}

/** Returns the text of a file of a host; nothing if it does not exist, or belongs to a process that has ended. */
export function contentIn(host: Host, file: string): string | undefined {
  return orMissing(() => readFileSync(host.inside(file), 'utf8'))
}

function orMissing<Value>(look: () => Value): Value | undefined {
  try {
    return look()
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ESRCH'])

/** Leaves a note for the script that started the tests, which takes the hosts down if the tests cannot. */
async function noteSet(set: string): Promise<string | undefined> {
  const { DAVIT_TEST_SETS: directory } = process.env
  if (!directory) return undefined
  const note = join(directory, randomUUID())
  await writeFile(note, `${set}\n`)
  await appendFile(join(directory, '.made'), `davit-test-hosts:${await readFile(join(set, 'id'), 'utf8')}`)
  return note
}
