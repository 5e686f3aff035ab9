import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { serverDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'

/** Directory with the programs of the server. */
export const binDirectory = newest('/usr/lib/postgresql')

/** Why a server cannot be started here, if so. */
export const noPostgresql: string | undefined = whyNot()

export interface Postgresql {
  /** Directory of its socket. */
  readonly directory: string
  /** Port of the loopback interface, and part of the name of the socket. */
  readonly port: number
  /** Prints the rows of statements by the superuser, one per line, with bars between columns. */
  sql(statements: string, database?: string): string
  /** Runs statements that print rows in a session that stays until the function is called that this returns. */
  use(database: string, statements: string): Promise<() => Promise<void>>
  stop(): Promise<void>
}

const AS_POSTGRES = ['--reuid=postgres', '--regid=postgres', '--init-groups']

interface Settings {
  readonly encoding?: string
  readonly locale?: string
  /** Options of the server, `NAME=VALUE`. */
  readonly options?: readonly string[]
}

/** Starts a server of its own, which nobody reaches from another machine. The system's user `postgres` needs no password, others do. */
export async function startPostgresql({
  encoding = 'UTF8',
  locale = 'C.UTF-8',
  options: more = [],
}: Settings = {}): Promise<Postgresql> {
  const directory = serverDirectory('davit-postgresql-')
  chmodSync(directory, 0o755)
  run('chown', ['postgres', directory])
  const port = await freePort()
  const files = join(directory, 'data')
  const initdb = ['-D', files, '-A', 'peer', '-E', encoding, `--locale=${locale}`, '--no-sync']
  run('setpriv', [...AS_POSTGRES, join(binDirectory, 'initdb'), ...initdb], '', directory)
  writeFileSync(
    join(files, 'pg_hba.conf'),
    'local all postgres peer\nlocal all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n',
  )
  const options = ['-D', files, '-k', directory, '-c', 'listen_addresses=127.0.0.1', '-p', `${port}`, '-c', 'fsync=off']
  // Compiling queries of catalogs takes longer than they do.
  options.push('-c', 'jit=off', '-c', 'autovacuum=off')
  options.push('-c', 'max_prepared_transactions=2', ...more.flatMap((option) => ['-c', option]))
  const argv = [...AS_POSTGRES, join(binDirectory, 'postgres'), ...options]
  const server = spawn('setpriv', argv, { stdio: 'ignore', cwd: directory })
  const client = (database: string) => [
    ...AS_POSTGRES,
    join(binDirectory, 'psql'),
    '-XqAt',
    '-h',
    directory,
    '-p',
    `${port}`,
    '-d',
    database,
  ]
  const sql = (statements: string, database = 'postgres') =>
    run('setpriv', [...client(database), '-v', 'ON_ERROR_STOP=1'], statements, directory)
  const isReady = () => spawnSync(join(binDirectory, 'pg_isready'), ['-h', directory, '-p', `${port}`]).status === 0
  await until(() => existsSync(join(directory, `.s.PGSQL.${port}`)) && isReady())
  return {
    directory,
    port,
    sql,
    async use(database, statements) {
      const session = spawn('setpriv', client(database), { stdio: ['pipe', 'pipe', 'ignore'], cwd: directory })
      session.stdin.on('error', () => undefined).write(`${statements}\n`)
      await once(session.stdout, 'data')
      return async () => {
        session.stdin.end()
        if (session.exitCode === null) await once(session, 'exit')
      }
    },
    async stop() {
      server.kill('SIGINT')
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function run(program: string, argv: readonly string[], input = '', cwd = '/'): string {
  const { status, stdout, stderr } = spawnSync(program, argv, { input, encoding: 'utf8', cwd })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${stdout}`)
  return stdout
}

function newest(directory: string): string {
  const versions = existsSync(directory) ? readdirSync(directory).toSorted((a, b) => Number(a) - Number(b)) : []
  return join(directory, versions.at(-1) ?? '', 'bin')
}

function whyNot(): string | undefined {
  const isRoot = process.getuid?.() === 0
  if (isRoot && existsSync(join(binDirectory, 'postgres'))) return undefined
  console.warn('SKIPPED: tests of postgresql-database, which need root and the Debian package postgresql')
  return 'postgresql is not installed, or this is not root'
}
