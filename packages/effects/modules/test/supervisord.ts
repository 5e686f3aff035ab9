import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@davit/testing/processes'

import type { Stateful } from './stateful.ts'

export const noSupervisor = spawnSync('supervisord', ['--version']).status !== 0
if (noSupervisor) console.warn('SKIPPED: tests with supervisord, which is not installed')

/** A supervisord with files in a scene. */
export class Supervisord {
  /** The directory whose files it reads. */
  readonly directory: string
  readonly properties: Readonly<Record<string, string>>
  private readonly configuration: string
  private child: ChildProcess | undefined
  private readonly scene: Stateful

  constructor(scene: Stateful) {
    this.scene = scene
    this.configuration = join(scene.directory, 'supervisord.conf')
    this.directory = scene.make('conf.d')
    this.properties = { supervisordTargetDir: this.directory, supervisorctlConfig: this.configuration }
    const user = process.getuid?.() === 0 ? 'user=root' : ''
    const text = `[unix_http_server]
file=${this.socket()}
[supervisord]
nodaemon=true
logfile=${scene.directory}/supervisord.log
pidfile=${scene.directory}/supervisord.pid
childlogdir=${scene.directory}
${user}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://${this.socket()}
[include]
files=${this.directory}/*.conf
`
    scene.write(this.configuration, text)
  }

  async start(): Promise<void> {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...this.scene.environment }
    this.child = spawn('supervisord', ['-c', this.configuration], { env, stdio: 'ignore' })
    await until(() => existsSync(this.socket()))
  }

  /** What `supervisorctl` prints. */
  control(...argv: readonly string[]): string {
    return spawnSync('supervisorctl', ['-c', this.configuration, ...argv], { encoding: 'utf8' }).stdout
  }

  async stop(): Promise<void> {
    const { child } = this
    if (child === undefined || child.exitCode !== null) return
    await new Promise((resolve) => {
      child.on('exit', resolve)
      child.kill()
    })
  }

  private socket(): string {
    return join(this.scene.directory, 'socket')
  }
}
