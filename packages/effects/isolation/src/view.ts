import type { Bubblewrap } from './kinds.ts'
import { needsNetwork, type VisiblePath } from './visible-paths.ts'

/** What a program sees of a machine; there is nothing else. */
export interface View {
  /** Paths of the machine, read-only. */
  readonly visible: readonly VisiblePath[]
  readonly network: boolean
  /** Further directories and files. Only what is `writable` counts for a limit on the size, and only there can be written. */
  readonly mounts: readonly Mount[]
  /** Directory in which the program begins. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
}

export interface Mount {
  readonly from: string
  readonly to: string
  readonly writable?: boolean
}

/** Descriptor from which bubblewrap reads the filter of system calls. */
export const FILTER = 9

// A user namespace of its own makes the program an ordinary user, for whom tar and cp do not try to set owners.
const FENCE = [
  ['--die-with-parent', '--new-session', '--unshare-all', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
  ['--hostname', 'davit-build'],
].flat()

/** Files of `/etc` that are the same in each view, so that it names no account of the machine. */
const ETC = [
  ['passwd', 'root:x:0:0::/:/bin/sh\nbuild:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n'],
  ['group', 'root:x:0:\nbuild:x:1000:\nnogroup:x:65534:\n'],
  ['nsswitch.conf', 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nservices: files\n'],
] as const
const LONELY_HOSTS = ['hosts', '127.0.0.1 localhost\n::1 localhost\n'] as const

/** Returns the contents of files that a view needs in a directory of the caller, by name, and `mountsOfFiles` to show them. */
export function filesOfView(network: boolean): ReadonlyMap<string, string> {
  return new Map(network ? ETC : [...ETC, LONELY_HOSTS])
}

/** Returns the mounts of the files of a view, whose directory they are in. */
export function mountsOfFiles(directory: string, network: boolean): readonly Mount[] {
  return [...filesOfView(network).keys()].map((name) => ({ from: `${directory}/${name}`, to: `/etc/${name}` }))
}

/** Returns the words that start bubblewrap with a view; the words of the program follow. */
export function bubblewrapped(
  { program }: Pick<Bubblewrap, 'program'>,
  view: View,
  filter = FILTER,
): readonly string[] {
  const { visible, network, mounts, directory, environment } = view
  const shown = visible.filter(({ path }) => network || !needsNetwork(path))
  return [
    program,
    ...FENCE,
    ...(network ? ['--share-net'] : []),
    '--seccomp',
    String(filter),
    ...shown.flatMap(show),
    ...DEVICES,
    ...mounts.flatMap(({ from, to, writable = false }) => [writable ? '--bind' : '--ro-bind', from, to]),
    // What bubblewrap has made for the places above would be memory of the machine, of any size.
    ...SEALS,
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    directory,
    '--',
  ]
}

const DEVICES = ['--dev', '/dev', '--proc', '/proc']
const SEALS = ['--remount-ro', '/dev', '--remount-ro', '/']

function show({ path, link, isOptional = false }: VisiblePath): readonly string[] {
  if (link !== undefined) return ['--symlink', link, path]
  return [isOptional ? '--ro-bind-try' : '--ro-bind', path, path]
}
