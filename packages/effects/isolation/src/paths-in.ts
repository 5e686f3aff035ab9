import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Environment } from '@davit/process'

/** Variable in which the operator names further paths that programs may read, separated by colons. */
export const PATHS_VARIABLE = 'DAVIT_BUILD_PATHS'

/** What no path may contain, whatever machine it is on. */
const PRIVATE = ['/dev', '/etc', '/home', '/proc', '/root', '/run', '/srv', '/sys', '/tmp', '/var/lib', '/var/tmp']

/** Reads the further paths; refuses one that contains a place of `PRIVATE`, or one of `kept`, such as a home or a store. */
export function pathsIn(environment: Environment, kept: readonly (string | undefined)[]): readonly string[] {
  const paths = (environment[PATHS_VARIABLE] ?? '').split(':').filter((path) => path !== '')
  const places = [
    ...PRIVATE,
    ...kept.flatMap((place) => (place === undefined || place === '' ? [] : [place, real(place)])),
  ]
  for (const path of paths) {
    if (!path.startsWith('/') || resolve(path) !== path || path.includes('\n'))
      throw refusal(path, 'is not a plain absolute path')
    const held = places.find((place) => [path, real(path)].some((one) => contains(one, place)))
    if (held !== undefined) throw refusal(path, `contains '${held}', which builds may not read`)
  }
  return paths
}

function contains(path: string, place: string): boolean {
  return path === '/' || place === path || place.startsWith(`${path}/`)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function refusal(path: string, why: string): DavitError {
  return new DavitError('usage', `variable '${PATHS_VARIABLE}' cannot have '${path}': it ${why}`, {
    exitStatus: ExitStatus.usage,
    hint: 'name the directories that builds need, such as /opt/node, separated by colons',
  })
}
