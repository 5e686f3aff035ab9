import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { TestHosts } from './hosts.ts'

/** Watches the memory of all processes of a group on this machine, and of all on the hosts. */
export function watchMemory({ directory, hosts }: TestHosts, group: number) {
  const peaks = new Map<string, number>()
  const look = () => {
    const processes = processesBelow('/proc').filter((place) => isInGroup(place, group))
    const inside = hosts.flatMap(({ name }) => {
      const pid = readFileSync(join(directory, 'hosts', name, 'pid'), 'utf8').trim()
      return processesBelow(`/proc/${pid}/root/proc`)
    })
    for (const place of [...processes, ...inside]) {
      const kilobytes = Number(/^VmHWM:\s*(\d+)/m.exec(textOf(join(place, 'status')))?.[1] ?? 0)
      peaks.set(place, Math.max(kilobytes, peaks.get(place) ?? 0))
    }
  }
  const timer = setInterval(look, 50)
  return {
    /** Returns the number of processes, and the largest memory of one in MB. */
    end() {
      clearInterval(timer)
      return { processes: peaks.size, most: Math.round(Math.max(...peaks.values()) / 1024) }
    },
  }
}

function processesBelow(proc: string): readonly string[] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map((name) => join(proc, name))
}

/** Whether a process is of a group. The group is the third field after the name, which is in parentheses. */
function isInGroup(place: string, group: number): boolean {
  const fields = textOf(join(place, 'stat')).split(') ').at(-1)?.split(' ') ?? []
  return fields[2] === String(group)
}

/** Processes may end meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
