import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'

import { until } from '@davit/testing/wait'

import type { Stateful } from './stateful.ts'

export const noSupervisor = spawnSync('supervisord', ['--version']).status !== 0
if (noSupervisor) console.warn('SKIPPED: tests with supervisord, which is not installed')

/**
 * Keeps `supervisorctl` loaded, since loading it takes longer than its work. A request is a line: the pid of a client, its directory, and
 * arguments. A copy of the process writes to files of the client, PID.1 and PID.2, and its exit status to the pipe PID.
 */
const LOADED = `import os, signal, sys
from supervisor import supervisorctl
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
with os.fdopen(os.open('requests', os.O_RDWR), 'r') as requests:
    for line in iter(requests.readline, ''):
        client, directory, *arguments = line.rstrip('\\n').split('\\x1f')
        if os.fork() > 0: continue
        status = 1
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            answer = os.open(client, os.O_RDWR)
            for number in 1, 2: os.dup2(os.open('%s.%d' % (client, number), os.O_CREAT | os.O_WRONLY), number)
            os.chdir(directory)
            supervisorctl.main(arguments)
        except SystemExit as end: status = end.code or 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(answer, b'%d\\n' % status)
            os._exit(0)
`

/** A supervisord with files in a scene. */
export class Supervisord {
  /** The directory whose files it reads. */
  readonly directory: string
  readonly properties: Readonly<Record<string, string>>
  /** Directory of a `supervisorctl` that is loaded already. */
  readonly programs: string
  private readonly configuration: string
  private child: ChildProcess | undefined
  private loaded: ChildProcess | undefined
  private readonly scene: Stateful

  constructor(scene: Stateful) {
    this.scene = scene
    this.configuration = join(scene.directory, 'supervisord.conf')
    this.directory = scene.make('conf.d')
    this.programs = scene.make('programs')
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
    this.load()
  }

  async start(): Promise<void> {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...this.scene.environment }
    this.child = spawn('supervisord', ['-c', this.configuration], { env, stdio: 'ignore' })
    // The socket is there before anybody listens.
    await until(() => this.answers())
  }

  /** What `supervisorctl` prints. */
  control(...argv: readonly string[]): string {
    const program = join(this.programs, 'supervisorctl')
    return spawnSync(program, ['-c', this.configuration, ...argv], { encoding: 'utf8', timeout: 60_000 }).stdout
  }

  async stop(): Promise<void> {
    await end(this.child)
  }

  /** Ends everything; it cannot be started again. */
  async close(): Promise<void> {
    await end(this.loaded)
    await this.stop()
  }

  private load(): void {
    const supervisorctl = `#!/bin/sh
PATH=/usr/bin:/bin
answer='${this.programs}'/$$
mkfifo "$answer" && exec 3<>"$answer" || exit
IFS=$(printf '\\037')
printf '%s\\n' "$$$IFS$PWD$IFS$*" >'${this.programs}/requests'
read -r status <&3 && [ ! -s "$answer.1" ] || cat "$answer.1"
[ ! -s "$answer.2" ] || cat "$answer.2" >&2
rm "$answer" "$answer".? && exit "$status"
`
    this.scene.write(join(this.programs, 'supervisorctl'), supervisorctl)
    spawnSync('mkfifo', [join(this.programs, 'requests')])
    this.loaded = spawn('/usr/bin/python3', ['-c', LOADED], { cwd: this.programs, stdio: 'ignore' })
  }

  private async answers(): Promise<boolean> {
    const connection = connect(this.socket())
    await once(connection, 'connect')
    connection.destroy()
    return true
  }

  private socket(): string {
    return join(this.scene.directory, 'socket')
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => {
    child.on('exit', resolve)
    child.kill()
  })
}
