import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import {
  bubblewrapped,
  type Bubblewrap,
  filesOfView,
  type Isolation,
  launch,
  type Limits,
  mountsOfFiles,
  namespaceOptions,
  newAccount,
  REACHED,
  systemCallFilter,
  type VisiblePath,
} from '@davit/isolation'

export interface IsolatedBuild {
  readonly storeDirectory: string
  /** Private directory with `DIRECTORIES`. */
  readonly workspace: string
  /** Paths that the build may read. */
  readonly inputs: readonly StorePath[]
  readonly network: boolean
  /** What the machine has of what builds see. */
  readonly visible: readonly VisiblePath[]
  readonly limits: Limits
}

/** Directories of a workspace in which builds write. */
export const WRITABLE = ['build', 'store', 'tmp', 'shm'] as const

/** Where a build runs, and what runs it there. */
export interface BuildPlace {
  readonly buildDirectory: string
  readonly filesDirectory: string
  /** Directory that builds see as the store directory, so that outputs are made outside the store; absent if they are made in place. */
  readonly standIn?: string
  /** Account that the build runs as, to which the directories of `WRITABLE` have to be given; absent if it is that of davit. */
  readonly account?: number
  /** Further contents of the directory `files`. */
  readonly files: ReadonlyMap<string, string | Uint8Array>
  /** Returns the words that run a command in an environment; they need one of their own, with `PATH_OF_LAUNCH`. */
  command(shell: readonly string[], environment: Readonly<Record<string, string>>): readonly [string, ...string[]]
}

export function buildPlace(isolation: Isolation, build: IsolatedBuild): BuildPlace {
  if (isolation.kind === 'bubblewrap') return bubblewrapPlace(isolation, build)
  const { workspace, network, limits } = build
  const fence =
    isolation.kind === 'none'
      ? []
      : [isolation.program, ...namespaceOptions(isolation.options), ...(network ? [] : ['--net']), '--']
  return {
    buildDirectory: join(workspace, 'build'),
    filesDirectory: join(workspace, 'files'),
    files: new Map(),
    command(shell, environment) {
      const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
      return launch({ limits, command: [...fence, '/usr/bin/env', '-i', ...variables, ...shell] })
    },
  }
}

const BUILD_DIRECTORY = '/tmp/build'
const FILES_DIRECTORY = '/tmp/files'
const FILTER_FILE = 'filter'

function bubblewrapPlace(isolation: Bubblewrap, build: IsolatedBuild): BuildPlace {
  const { storeDirectory, workspace, inputs, network, visible, limits } = build
  const isBound = isolation.account === 'bound'
  const account = isolation.account === undefined ? undefined : newAccount()
  /** Where bubblewrap finds a path of the store. */
  const found = (path: string) => (isBound ? `${REACHED}${path.slice(storeDirectory.length)}` : path)
  const own = (name: string) => found(join(workspace, name))
  const mounts = [
    ...mountsOfFiles(own('files'), network),
    { from: own('shm'), to: '/dev/shm', writable: true },
    { from: own('tmp'), to: '/tmp', writable: true },
    { from: own('tmp'), to: '/var/tmp', writable: true },
    { from: own('store'), to: storeDirectory, writable: true },
    ...inputs.map((path) => ({ from: found(path), to: path })),
    { from: own('build'), to: BUILD_DIRECTORY, writable: true },
    { from: own('files'), to: FILES_DIRECTORY },
  ]
  return {
    buildDirectory: BUILD_DIRECTORY,
    filesDirectory: FILES_DIRECTORY,
    standIn: join(workspace, 'store'),
    ...(account === undefined ? {} : { account }),
    files: new Map<string, string | Uint8Array>([
      ...filesOfView(network),
      [FILTER_FILE, systemCallFilter({ network })],
    ]),
    command(shell, environment) {
      const view = { visible, network, mounts, directory: BUILD_DIRECTORY, environment }
      return launch({
        limits,
        filter: join(workspace, 'files', FILTER_FILE),
        ...(isBound ? { bound: storeDirectory } : {}),
        ...(account === undefined ? {} : { account }),
        command: [...bubblewrapped(isolation, view), ...shell],
      })
    },
  }
}
