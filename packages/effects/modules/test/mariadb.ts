import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { serverDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'

/** Why a server cannot be started here, if so. */
export const noMariadb: string | undefined = whyNot()

export interface Mariadb {
  readonly socket: string
  /** Port of the loopback interface. */
  readonly port: number
  /** Prints the rows of statements by root, one per line, with tabs between columns. */
  sql(statements: string, database?: string): string
  /** Runs statements that print rows in a session that stays until the function is called that this returns. */
  use(database: string, statements: string): Promise<() => Promise<void>>
  stop(): Promise<void>
}

/** Starts a server of its own, which nobody reaches from another machine. */
export async function startMariadb(options: readonly string[] = []): Promise<Mariadb> {
  const directory = serverDirectory('davit-mariadb-')
  chmodSync(directory, 0o711)
  const socket = join(directory, 'socket')
  const port = await freePort()
  const account = process.getuid?.() === 0 ? ['--user=mysql'] : []
  const base = ['--no-defaults', ...account, `--datadir=${join(directory, 'data')}`]
  if (process.getuid?.() === 0) run('chown', ['mysql', directory])
  run('mariadb-install-db', [...base, '--auth-root-authentication-method=normal', '--skip-test-db'])
  const quick = ['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=16M', '--max-allowed-packet=64M']
  const access = [`--socket=${socket}`, '--bind-address=127.0.0.1', `--port=${port}`]
  const server = spawn('/usr/sbin/mariadbd', [...base, ...quick, ...access, ...options], { stdio: 'ignore' })
  const sql = (statements: string, database = 'mysql') =>
    run('mariadb', ['--no-defaults', '-uroot', `-S${socket}`, '-NB', `--database=${database}`], statements)
  await until(() => existsSync(socket) && spawnSync('mariadb-admin', ['-u', 'root', '-S', socket, 'ping']).status === 0)
  return {
    socket,
    port,
    sql,
    async use(database, statements) {
      const options = ['--no-defaults', '-uroot', `-S${socket}`, '-NBn', `--database=${database}`]
      const client = spawn('mariadb', options, { stdio: ['pipe', 'pipe', 'inherit'] })
      client.stdin.write(`${statements}\n`)
      await once(client.stdout, 'data')
      return async () => {
        client.stdin.end()
        await once(client, 'exit')
      }
    },
    async stop() {
      server.kill()
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function run(program: string, argv: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, argv, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${stdout}`)
  return stdout
}

function whyNot(): string | undefined {
  if (existsSync('/usr/sbin/mariadbd')) return undefined
  console.warn('SKIPPED: tests of mysql-database, which need the Debian package mariadb-server')
  return 'mariadb-server is not installed'
}
