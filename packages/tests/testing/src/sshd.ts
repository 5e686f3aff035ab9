import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const PROGRAM = '/usr/sbin/sshd'

/** Returns why tests with a real sshd cannot run here, if so. */
export function sshdMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root'
  return existsSync(PROGRAM) ? undefined : `no ${PROGRAM} (install openssh-server)`
}

export type KeyType = 'ed25519' | 'rsa' | 'ecdsa'

export interface TestSshd {
  readonly directory: string
  readonly port: number
  /** HOME of the account that logs in, empty at first. */
  readonly home: string
  /** `127.0.0.1:PORT` */
  readonly address: string
  /** File of a private key that may log in as root, with the public key in `.pub`. */
  readonly clientKey: string
  /** ssh_config for all hosts: this client key, this known_hosts, no agent. Tests may append to it. */
  readonly configFile: string
  /** Contains a line for each host key, with the name `[127.0.0.1]:PORT`. */
  readonly knownHostsFile: string
  /** For `openSsh` and `connectionPool`. */
  readonly environment: Readonly<Record<string, string>>
  /** Returns the type, and the key in base64. */
  hostKey(type: KeyType): string
  /** Returns the log of sshd so far, by default at LogLevel VERBOSE. */
  log(): string
  /** Ends sshd with all its connections; `up` starts it again on the same port. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

/** Starts a real sshd on a free port of the loopback interface, with its own keys; root logs in by key. */
export async function startSshd(
  options: { hostKeys?: readonly KeyType[]; lines?: readonly string[]; loginShell?: string; logLevel?: string } = {},
): Promise<TestSshd> {
  const directory = mkdtempSync(join(tmpdir(), 'davit-sshd-'))
  const file = (name: string): string => join(directory, name)
  const types = options.hostKeys ?? ['ed25519']
  await Promise.all([...types.map((type) => makeKey(file(`host_${type}`), type)), makeKey(file('client'), 'ed25519')])
  const port = await freePort()
  const hostKey = (type: KeyType): string => publicKey(file(`host_${type}`))
  const configFile = file('ssh_config')
  const knownHostsFile = file('known_hosts')
  writeFileSync(knownHostsFile, types.map((type) => `[127.0.0.1]:${port} ${hostKey(type)}\n`).join(''))
  writeFileSync(configFile, clientConfiguration({ clientKey: file('client'), knownHostsFile }))
  mkdirSync(file('home'))
  writeFileSync(file('authorized_keys'), `${publicKey(file('client'))}\n`)
  writeFileSync(file('sshd_config'), serverConfiguration({ directory, port, types, lines: options.lines ?? [] }))
  if (options.loginShell !== undefined) writeFileSync(file('passwd'), passwdWith(options.loginShell))
  const passwd = options.loginShell === undefined ? undefined : file('passwd')
  const serving = { configFile: file('sshd_config'), passwd, logLevel: options.logLevel ?? 'VERBOSE' }
  let server = await serve(serving)
  return {
    directory,
    port,
    home: file('home'),
    address: `127.0.0.1:${port}`,
    clientKey: file('client'),
    configFile,
    knownHostsFile,
    environment: { PATH: process.env['PATH'] ?? '', DAVIT_SSH_CONFIG: configFile },
    hostKey,
    log: () => server.log(),
    down: () => server.down(),
    async up() {
      server = await serve(serving)
    },
    async stop() {
      await server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

export async function makeKey(file: string, type: KeyType, passphrase = ''): Promise<void> {
  const bits = type === 'rsa' ? ['-b', '2048'] : []
  await promisify(execFile)('ssh-keygen', ['-q', '-t', type, ...bits, '-N', passphrase, '-C', '', '-f', file])
}

/** Returns type and key, without the comment. */
export function publicKey(file: string): string {
  return readFileSync(`${file}.pub`, 'utf8').trim().split(' ').slice(0, 2).join(' ')
}

function clientConfiguration({ clientKey, knownHostsFile }: { clientKey: string; knownHostsFile: string }): string {
  return `IdentityFile ${clientKey}
IdentityAgent none
User root
UserKnownHostsFile ${knownHostsFile}
GlobalKnownHostsFile /dev/null
`
}

interface ServerSettings {
  readonly directory: string
  readonly port: number
  readonly types: readonly KeyType[]
  readonly lines: readonly string[]
}

function serverConfiguration({ directory, port, types, lines }: ServerSettings): string {
  return `${lines.join('\n')}
Port ${port}
ListenAddress 127.0.0.1
${types.map((type) => `HostKey ${directory}/host_${type}`).join('\n')}
SetEnv HOME=${directory}/home
AuthorizedKeysFile ${directory}/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PidFile none
StrictModes no
UseDNS no
UsePAM no
`
}

/** Returns the machine's `/etc/passwd`, with another shell for root. */
function passwdWith(loginShell: string): string {
  return readFileSync('/etc/passwd', 'utf8').replace(/^(root:.*:)[^:\n]*$/m, `$1${loginShell}`)
}

/** The beginning of a command line that sees another `/etc/passwd`. */
const WITH_PASSWD = [
  'unshare',
  '-m',
  '--propagation',
  'private',
  'sh',
  '-c',
  'mount --bind "$0" /etc/passwd && exec "$@"',
]

/** Returns why a login shell cannot be replaced here, if so. */
export function loginShellMissing(): string | undefined {
  const { status } = spawnSync('unshare', [...WITH_PASSWD.slice(1), '/etc/passwd', 'true'])
  return status === 0 ? undefined : 'no mount namespaces'
}

interface Serving {
  readonly configFile: string
  readonly passwd: string | undefined
  readonly logLevel: string
}

/** Starts sshd and waits until it listens. */
async function serve({ configFile, passwd, logLevel }: Serving): Promise<Pick<TestSshd, 'log' | 'down' | 'stop'>> {
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const argv = [PROGRAM, '-D', '-e', '-o', `LogLevel=${logLevel}`, '-f', configFile]
  const [program = '', ...rest] = passwd === undefined ? argv : [...WITH_PASSWD, passwd, ...argv]
  const server = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(server, 'exit')
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes('listening on')) resolve()
    })
    server.once('exit', () => reject(new Error(`sshd ended: ${log}`)))
  })
  return {
    log: () => log,
    async down() {
      const serving = childrenOf(server.pid ?? 0)
      server.kill('SIGKILL')
      await ended
      for (const pid of serving) process.kill(pid, 'SIGKILL')
    },
    async stop() {
      if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM')
      await ended
    },
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}
