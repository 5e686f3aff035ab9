import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { afterAll } from 'vitest'

import type { Stateful } from './stateful.ts'

const SERVERS = [
  { name: 'nginx', program: '/usr/sbin/nginx', argv: nginx },
  { name: 'apache', program: '/usr/sbin/apache2', argv: apache },
]

/** The installed web servers, whose document root is the directory `root` of a scene; stops what a failed test left running. */
export function installedWebServers(): readonly WebServer[] {
  afterAll(async () => {
    await Promise.all([...running].map((server) => server.stop()))
  })
  return SERVERS.filter(({ name, program }) => {
    const isInstalled = spawnSync(program, ['-v']).status === 0
    if (!isInstalled) console.warn(`SKIPPED: tests with ${name}, which is not installed`)
    return isInstalled
  })
}

export type WebServer = (typeof SERVERS)[number]

const running = new Set<RunningServer>()

const isRoot = process.getuid?.() === 0

/** A web server of a scene, from its start to its end. */
export class RunningServer {
  readonly port: string
  private readonly child: ChildProcess

  private constructor(port: string, child: ChildProcess) {
    this.port = port
    this.child = child
    running.add(this)
  }

  /** Does not wait until it serves. */
  static start(server: WebServer, scene: Stateful, { port, settings = '' }: ServerOptions): RunningServer {
    // It gives up its rights, but has to find the files of the test.
    chmodSync(dirname(scene.directory), 0o755)
    const argv = server.argv(scene, { port, settings })
    const env = { PATH: '/usr/sbin:/usr/bin:/bin', ...scene.environment }
    return new RunningServer(port, spawn(server.program, argv, { env, stdio: 'ignore' }))
  }

  /** The status and the text of a page. */
  async page(path: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}/${path}`)
    return `${response.status} ${await response.text()}`
  }

  async stop(): Promise<void> {
    running.delete(this)
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    await new Promise((resolve) => {
      this.child.on('exit', resolve)
      this.child.kill()
    })
  }
}

interface ServerOptions {
  readonly port: string
  readonly settings?: string
}

export async function freePortText(): Promise<string> {
  return String(await freePort())
}

function nginx(scene: Stateful, { port, settings = '' }: ServerOptions): readonly string[] {
  const own = scene.make('nginx')
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const text = `${isRoot ? 'user root;' : ''} daemon off; pid ${own}/pid; error_log ${own}/error.log; events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${own}/${kind};`).join(' ')}
  server { listen 127.0.0.1:${port}; root ${scene.make('root')}; ${settings} }
}
`
  scene.write(join(own, 'nginx.conf'), text)
  return ['-p', own, '-e', `${own}/error.log`, '-c', join(own, 'nginx.conf')]
}

function apache(scene: Stateful, { port, settings = '' }: ServerOptions): readonly string[] {
  const own = scene.make('apache')
  const modules = ['mpm_event', 'authz_core', 'dir']
  const text = `ServerRoot ${own}
ServerName localhost
DefaultRuntimeDir ${own}
PidFile ${own}/pid
ErrorLog ${own}/error.log
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${isRoot ? 'User www-data\nGroup www-data' : ''}
DocumentRoot ${scene.make('root')}
<Directory />
  Options FollowSymLinks
</Directory>
${settings}
`
  scene.write(join(own, 'apache.conf'), text)
  return ['-D', 'FOREGROUND', '-f', join(own, 'apache.conf')]
}
