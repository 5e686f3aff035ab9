import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { type Environment, runCommand } from '@davit/process'

/** How far builds are isolated from the rest of the machine, and from each other. */
export type Isolation =
  /** Own namespaces; nothing of the store but what the build may use; everything else read-only; homes hidden. */
  | { readonly kind: 'bubblewrap'; readonly program: string }
  /** No network unless requested; no process survives the build. Without `options`, those of util-linux are used. */
  | { readonly kind: 'namespaces'; readonly program: string; readonly options?: readonly string[] }
  | { readonly kind: 'none' }

export interface IsolatedBuild {
  readonly storeDirectory: string
  /** Private directory with `build`, `store` and `files`. */
  readonly workspace: string
  /** Paths that the build may read. */
  readonly inputs: readonly StorePath[]
  readonly network: boolean
  /** Those of `HIDDEN` that the machine has; by default those of this machine. */
  readonly hidden?: readonly string[]
}

/** Where a build runs, and what runs it there. */
export interface BuildPlace {
  readonly buildDirectory: string
  readonly filesDirectory: string
  /** Directory that builds see as the store directory, so that outputs are made outside the store; absent if they are made in place. */
  readonly standIn?: string
  /** Program and arguments that the command of the build is appended to. */
  readonly argv: readonly [string, ...string[]]
}

/** Finds the best isolation that this machine allows, by trying. */
export async function probeIsolation(environment: Environment): Promise<Isolation> {
  for (const { isolation, probe } of ISOLATIONS) {
    const program = findProgram(isolation.program, environment)
    if (program !== undefined && (await works([program, ...probe]))) return { ...isolation, program }
  }
  return { kind: 'none' }
}

export function buildPlace(isolation: Isolation, build: IsolatedBuild): BuildPlace {
  const { workspace, network } = build
  if (isolation.kind === 'bubblewrap') return bubblewrapPlace(isolation.program, build)
  const argv = [isolation.kind === 'none' ? '/usr/bin/env' : isolation.program] as const
  return {
    buildDirectory: join(workspace, 'build'),
    filesDirectory: join(workspace, 'files'),
    argv:
      isolation.kind === 'none'
        ? argv
        : [...argv, ...(isolation.options ?? NAMESPACES), ...(network ? [] : ['--net']), '--'],
  }
}

const NAMESPACES = ['--pid', '--fork', '--kill-child', '--mount-proc']
/** Without `--kill-child`: the first process of the namespace is in the process group of the build, and ended with it. */
const BUSYBOX_NAMESPACES = ['-p', '-f', '--mount-proc']

// A user namespace of its own makes the build an ordinary user, for whom tar and cp do not try to set owners.
const BUBBLEWRAP = [
  ['--die-with-parent', '--new-session', '--unshare-all', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
  ['--hostname', 'davit-build', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
].flat()

const NOTHING = ['/bin/sh', '-c', ':']

/** Kinds of isolation, best first, with the names of their programs and the arguments to try each with. */
export const ISOLATIONS = [
  { isolation: { kind: 'bubblewrap', program: 'bwrap' }, probe: [...BUBBLEWRAP, ...NOTHING] },
  { isolation: { kind: 'namespaces', program: 'unshare' }, probe: [...NAMESPACES, '--net', '--', ...NOTHING] },
  {
    isolation: { kind: 'namespaces', program: 'unshare', options: BUSYBOX_NAMESPACES },
    probe: [...BUSYBOX_NAMESPACES, '--net', '--', ...NOTHING],
  },
] as const

/** Directories of a machine that builds must not see. */
export const HIDDEN = ['/home', '/media', '/mnt', '/root', '/run', '/srv', '/var/lib/davit', '/var/tmp']
const BUILD_DIRECTORY = '/tmp/build'
const FILES_DIRECTORY = '/tmp/files'

function bubblewrapPlace(program: string, build: IsolatedBuild): BuildPlace {
  const { storeDirectory, workspace, inputs, network, hidden = HIDDEN.filter((path) => existsSync(path)) } = build
  const standIn = join(workspace, 'store')
  return {
    buildDirectory: BUILD_DIRECTORY,
    filesDirectory: FILES_DIRECTORY,
    standIn,
    argv: [
      program,
      ...BUBBLEWRAP,
      ...hidden.flatMap((path) => ['--tmpfs', path]),
      ...(network ? ['--share-net', ...resolverBinds()] : []),
      ...bind('--bind', standIn, storeDirectory),
      ...inputs.flatMap((path) => bind('--ro-bind', path, path)),
      ...bind('--bind', join(workspace, 'build'), BUILD_DIRECTORY),
      ...bind('--ro-bind', join(workspace, 'files'), FILES_DIRECTORY),
      '--chdir',
      BUILD_DIRECTORY,
      '--',
    ],
  }
}

/** /etc/resolv.conf is often a link into /run. */
function resolverBinds(): readonly string[] {
  const places = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']
  return places.flatMap((path) => bind('--ro-bind-try', path, path))
}

function bind(option: string, from: string, to: string): readonly string[] {
  return [option, from, to]
}

function findProgram(name: string, { PATH = '' }: Environment): string | undefined {
  const directories = PATH.split(':').filter((directory) => directory.startsWith('/'))
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path))
}

async function works(argv: readonly [string, ...string[]]): Promise<boolean> {
  try {
    return (await runCommand({ argv, env: { PATH: '/usr/bin:/bin' }, timeoutSeconds: 10 })).exitCode === 0
  } catch {
    return false
  }
}
