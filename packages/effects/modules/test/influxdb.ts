import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { serverDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { expect } from 'vitest'

/** Why a server cannot be started here, if so. */
export const noInfluxdb: string | undefined = whyNot()

/** Who may do everything, and the password. */
export const ADMIN = { name: `a'"\\ü`, password: `p'"\`$(touch bad) \\ ü#` }

export interface Influxdb {
  readonly port: number
  /** Where the server takes and gives backups. */
  readonly backupAddress: string
  /** Runs statements as administrator, and returns the answer as CSV without its first line. */
  query(statements: string): string
  /** Writes points to a database. */
  write(database: string, points: string, policy?: string): Promise<void>
  /** Makes a backup of a database in a directory, as Dysnomia does. */
  backup(database: string, directory: string): void
  stop(): Promise<void>
}

/** Starts a server of its own, which nobody reaches from another machine, and nobody uses without a password. It gets more lines of `[http]`. */
export async function startInfluxdb(...http: readonly string[]): Promise<Influxdb> {
  const directory = serverDirectory('davit-influxdb-')
  const port = await freePort()
  const backupAddress = `127.0.0.1:${await freePort()}`
  const configuration = join(directory, 'influxdb.conf')
  writeFileSync(
    configuration,
    `reporting-disabled = true
bind-address = "${backupAddress}"
[meta]
dir = "${directory}/meta"
[data]
dir = "${directory}/data"
wal-dir = "${directory}/wal"
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
auth-enabled = true
${http.join('\n')}
`,
  )
  const server = spawn('influxd', ['-config', configuration], { stdio: 'ignore', cwd: directory })
  const address = `http://127.0.0.1:${port}`
  const ask = (input: string, environment: Readonly<Record<string, string>>) =>
    spawnSync('influx', ['-port', `${port}`, '-format', 'csv'], {
      input,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
      env: { ...process.env, ...environment },
    })
  const password = ADMIN.password.replaceAll(/[\\']/g, '\\$&')
  const first = `CREATE USER "${ADMIN.name.replaceAll(/[\\"]/g, '\\$&')}" WITH PASSWORD '${password}' WITH ALL PRIVILEGES`
  await until(() => expect(ask(first, {}).status).toBe(0))
  const query = (statements: string) => {
    const login = { INFLUX_USERNAME: ADMIN.name, INFLUX_PASSWORD: ADMIN.password }
    const { status, stdout, stderr } = ask(statements, login)
    if (status !== 0) throw new Error(`influx ended with ${status}: ${stderr}`)
    return stdout.slice(stdout.indexOf('\n') + 1)
  }
  return {
    port,
    backupAddress,
    query,
    async write(database, points, policy = 'autogen') {
      const place = new URLSearchParams({ db: database, rp: policy, u: ADMIN.name, p: ADMIN.password })
      const { status, headers } = await fetch(`${address}/write?${place.toString()}`, { method: 'POST', body: points })
      if (status !== 204) throw new Error(`points were refused: ${headers.get('x-influxdb-error')}`)
    },
    backup(database, target) {
      const argv = ['backup', '-portable', '-host', backupAddress, '-database', database, target]
      const { status, stderr } = spawnSync('influxd', argv, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`influxd ended with ${status}: ${stderr}`)
    },
    async stop() {
      server.kill()
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function whyNot(): string | undefined {
  if (existsSync('/usr/bin/influxd') && existsSync('/usr/bin/influx')) return undefined
  console.warn('SKIPPED: tests of influx-database, which need the Debian packages influxdb and influxdb-client')
  return 'influxdb or influxdb-client is not installed'
}
