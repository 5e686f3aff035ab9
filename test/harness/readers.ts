import { ALL_SCENARIOS } from './language.ts'

/** Tools that read what hosts have, and change nothing. */
export type Reader = 'query' | 'status' | 'logs' | 'diagnose' | 'doctor' | 'capture' | 'plan'

/** What each of them is typed as, where the service `web` says what the host says, and `manifest.xml` is what is deployed. */
export function readersOf(hosts: readonly string[]): readonly (readonly [Reader, readonly string[]])[] {
  return [
    ['query', ['davit-query']],
    ['status', ['davit-query', '--status']],
    ['logs', ['davit-logs', 'web']],
    ['diagnose', ['davit-diagnose', '-S', 'web', '--', 'echo here']],
    ['doctor', ['davit-doctor']],
    ['capture', ['davit-capture-infrastructure', ...hosts]],
    ['plan', ['davit-plan', 'manifest.xml']],
  ]
}

/**
 * Returns three of them for a scene, other ones for each number, so that each reader is in several scenes. All readers reach hosts in the
 * same way. A whole run has all of them.
 */
export function readersInTurn(scene: number, hosts: readonly string[]): ReturnType<typeof readersOf> {
  const all = readersOf(hosts)
  return ALL_SCENARIOS ? all : [0, 1, 2].map((number) => all[(scene * 3 + number) % all.length]!)
}

/** What each of them shows of a host. davit-plan has nothing to say of hosts on which nothing changes. */
export const SHOWN: Readonly<Record<Reader, (host: string) => RegExp>> = {
  query: (host) => new RegExp(`^${host}\\n  /.*-web$`, 'm'),
  status: (host) => new RegExp(`^${host} +process +web +web +runs `, 'm'),
  logs: (host) => new RegExp(`^ *${host}:process +\\| ${host} speaks$`, 'm'),
  diagnose: (host) => new RegExp(`^${host}:process \\| here$`, 'm'),
  doctor: (host) => new RegExp(`^${host}.*\\n  ok +reached as `, 'm'),
  capture: (host) => new RegExp(`^${host}:\\n  containers:$`, 'm'),
  plan: () => /^nothing to do$/m,
}

/** What each of them says of a host of which it has learnt nothing; davit-doctor says it in its result. */
export const MISSED: Readonly<Record<Reader, (host: string, reason: string) => RegExp>> = {
  query: (host, reason) => new RegExp(`^\\[${host}\\] warning: cannot tell what is there: ${reason}$`, 'm'),
  status: (host, reason) => new RegExp(`^\\[${host}\\] warning: cannot tell what is there: ${reason}$`, 'm'),
  logs: (host, reason) => new RegExp(`^\\[${host}\\] warning: cannot read its logs: ${reason}$`, 'm'),
  diagnose: (host, reason) => new RegExp(`^\\[${host}\\] warning: nothing can be done there: ${reason}$`, 'm'),
  doctor: (host, reason) => new RegExp(`^${host}\\n  error +${reason}$`, 'm'),
  capture: (host, reason) => new RegExp(`^warning: target '${host}' cannot be asked: ${reason}$`, 'm'),
  plan: (host, reason) => new RegExp(`^error: target '${host}': ${reason}$`, 'm'),
}

/** Status of those that learn nothing of a host. */
export const MISSED_STATUS: Readonly<Record<Reader, number>> = {
  query: 69,
  status: 69,
  logs: 69,
  diagnose: 69,
  doctor: 2,
  capture: 69,
  plan: 69,
}
