import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
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
