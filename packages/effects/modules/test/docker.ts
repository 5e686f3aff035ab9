import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { removeControlGroups } from '@davit/testing/control-groups'
import { serverDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'

export interface Docker {
  /** Properties with which `docker` reaches the engine. */
  readonly properties: { readonly DOCKER_HOST: string }
  /** Prints the output of `docker`. */
  run(...argv: readonly string[]): string
  /** Saves an image of busybox that runs a shell command, and returns the path of the archive. The engine does not keep it. */
  archive(tag: string, command: string): string
  /** Names of all containers and tags of all images. */
  everything(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Starts an engine of its own, without networks, whose mounts nobody else sees; or returns why none can be started here. */
export async function startDocker(): Promise<Docker | string> {
  const missing = ['/usr/sbin/dockerd', '/bin/busybox'].find((path) => !existsSync(path))
  if (missing !== undefined) return unavailable(`there is no '${missing}'`)
  if (process.getuid?.() !== 0) return unavailable('only root can start one')
  const directory = serverDirectory('davit-docker-')
  const group = `davit-docker-${process.pid}-${Date.now()}`
  const server = begin(directory, group)
  const stop = async () => {
    server.kill()
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
    removeControlGroups(group)
    rmSync(directory, { recursive: true, force: true })
  }
  const host = `unix://${directory}/socket`
  const run = (...argv: readonly string[]) => docker(host, argv)
  const answers = () => spawnSync('/usr/bin/docker', ['-H', host, 'version']).status === 0
  await until(() => server.exitCode !== null || answers())
  if (server.exitCode !== null) {
    const output = readFileSync(join(directory, 'log'), 'utf8').trim().split('\n').at(-1) ?? ''
    await stop()
    return unavailable(`dockerd does not start: ${output}`)
  }
  return {
    properties: { DOCKER_HOST: host },
    run,
    archive: (tag, command) => archiveOf(host, mkdtempSync(join(directory, 'image-')), { tag, command }),
    async everything() {
      const containers = await ask(`${directory}/socket`, '/containers/json?all=1')
      const images = await ask(`${directory}/socket`, '/images/json')
      return [
        ...containers.flatMap(({ Names: names = [] }) => names.map((name) => name.slice(1))),
        ...images.flatMap(({ RepoTags: tags }) => tags ?? []),
      ]
    },
    stop,
  }
}

/** In some directories of the machine the engine makes files: it gets its own. */
function begin(directory: string, group: string): ChildProcess {
  const script = `exec 2>'${directory}/log'
for place in /etc/docker /opt /run; do mount -t tmpfs none "$place" || exit; done; exec dockerd --storage-driver vfs "$@"`
  const places = ['--data-root', `${directory}/data`, '--exec-root', `${directory}/exec`, '-p', `${directory}/pid`]
  const network = ['--iptables=false', '--ip6tables=false', '--bridge=none', '-H', `unix://${directory}/socket`]
  const argv = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...places, ...network]
  // containerd writes its stacks there if dockerd finds it slow.
  const env = { ...process.env, TMPDIR: directory }
  return spawn('unshare', [...argv, `--cgroup-parent=/${group}`], { stdio: 'ignore', env })
}

interface Listed {
  readonly Names?: readonly string[]
  readonly RepoTags?: readonly string[] | null
}

/** Asks the engine itself, since a client takes longer to start. */
async function ask(socketPath: string, path: string): Promise<readonly Listed[]> {
  const request = get({ socketPath, path })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return (await json(response)) as readonly Listed[]
}

function docker(host: string, argv: readonly string[], input?: Uint8Array): string {
  const { status, stdout, stderr } = spawnSync('/usr/bin/docker', ['-H', host, ...argv], { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`docker ${argv.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

function archiveOf(host: string, root: string, { tag, command }: { tag: string; command: string }): string {
  for (const name of ['bin', 'www']) mkdirSync(join(root, name))
  cpSync('/bin/busybox', join(root, 'bin/busybox'))
  symlinkSync('busybox', join(root, 'bin/sh'))
  const files = spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1e8 }).stdout
  docker(host, ['import', '--change', `CMD ${JSON.stringify(['/bin/sh', '-c', command])}`, '-', tag], files)
  docker(host, ['save', '-o', `${root}.tar`, tag])
  docker(host, ['image', 'rm', tag])
  return `${root}.tar`
}

function unavailable(reason: string): string {
  console.warn(`SKIPPED: tests of docker-container, which need an engine of Docker: ${reason}`)
  return reason
}
