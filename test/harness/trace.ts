import type { Host } from './hosts.ts'

/** Everything below directories of a host: names, kinds, modes, times of change, targets of links, and sums of contents. */
export async function contentsOf(host: Host, ...directories: readonly string[]): Promise<string> {
  return host.sh(
    `find "$@" -printf '%p %y %m %T@ %l\n' 2>/dev/null | LC_ALL=C sort
     find "$@" -type f -exec cksum {} + 2>/dev/null | LC_ALL=C sort`,
    ...directories,
  )
}
