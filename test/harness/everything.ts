import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '@davit/testing/wait'
import type { Host, TestHosts } from './hosts.ts'

/** Returns `KIND PATH` of every file in which a host differs from this machine, and the commands of its processes. */
export async function everythingOn(host: Host, { directory }: TestHosts): Promise<readonly string[]> {
  const disk = join(directory, 'hosts', host.name, 'disk/upper')
  const { stdout } = await run('find', [disk, '-mindepth', '1', '-printf', '%y /%P\n'])
  const inside = await host.sh(LIST_INSIDE)
  return [...stdout.split('\n'), ...inside.split('\n')].map((line) => line.trim()).filter((line) => line !== '')
}

const run = promisify(execFile)

const LIST_INSIDE = `find /run /tmp /dev/shm -mindepth 1 -printf '%y %p\\n'
for directory in /proc/[0-9]*; do
  [ "\${directory#/proc/}" = $$ ] || { printf 'process '; tr '\\0' ' ' <"$directory/cmdline"; echo; } 2>/dev/null
done`

/** What a user has on a host besides the directories of davit: the store of his packages. */
export interface UserStore {
  /** Directory of the store. */
  readonly store: string
  readonly isNix: boolean
}

/** Runs something that fails on hosts, and returns what it has added to each, and what it has taken, once its processes have ended. */
export async function tracesOn(
  set: TestHosts,
  store: UserStore,
  work: () => Promise<void>,
): Promise<readonly Traces[]> {
  const before = await Promise.all(set.hosts.map((host) => everythingOn(host, set)))
  await work()
  return Promise.all(
    set.hosts.map(async (host, index) => {
      const known = new Set(before[index])
      const after = await eventually('the end of all processes', async () => {
        const all = await everythingOn(host, set)
        return all.every((entry) => known.has(entry) || !entry.startsWith('process ')) && all
      })
      const there = new Set(after)
      const added = strangeAmong(
        after.filter((entry) => !known.has(entry)),
        host,
        store,
      )
      // A character device hides what this machine has there.
      return { added, taken: [...known].filter((entry) => !there.has(entry) && !entry.startsWith('c ')) }
    }),
  )
}

export interface Traces {
  readonly added: readonly string[]
  readonly taken: readonly string[]
}

/** Returns what a deployment that failed has added to a host, except packages, logs and empty directories. */
function strangeAmong(added: readonly string[], { name }: Host, { store, isNix }: UserStore): readonly string[] {
  const target = `/var/lib/davit/targets/${name}`
  const directories = ['/var/lib/davit', '/var/lib/davit/targets', target].concat(
    EMPTY_DIRECTORIES.map((path) => `${target}/${path}`),
  )
  const known = new Set([...directories.map((path) => `d ${path}`), `f ${target}/lock/default/number`])
  const isPackage = (entry: string) =>
    /^[dfl] /.test(entry) && (entry.slice(2).startsWith(store) || store.startsWith(`${entry.slice(2)}/`))
  const isProtection = (entry: string) => isNix && /^[dl] \/var\/lib\/davit\/protected(\/[0-9a-f]+)?$/.test(entry)
  return added.filter(
    (entry) =>
      !known.has(entry) && !entry.startsWith(`f ${target}/log/default/`) && !isPackage(entry) && !isProtection(entry),
  )
}

const EMPTY_DIRECTORIES = [
  'active',
  'active/default',
  'dysnomia',
  'dysnomia/activated',
  'dysnomia/activated/wrapper',
  'lock',
  'lock/default',
  'log',
  'log/default',
  'log/services',
  'profiles',
  'profiles/default',
  'run',
]
