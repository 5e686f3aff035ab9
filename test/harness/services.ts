import { rmSync, writeFileSync } from 'node:fs'
import { eventually } from '@davit/testing/wait'
import { contentIn, type Host } from './hosts.ts'

/** Attributes of services, as in a services model. */
export interface ServiceDescription {
  readonly type: string
  readonly [attribute: string]: unknown
}

export interface WrapperOptions {
  /** Any text; a different one makes a different version. */
  readonly version?: string
  /** Shell lines that run at the beginning of an activity: $1 is the activity, $2 the container. */
  readonly body?: string
  readonly env?: Readonly<Record<string, string>>
  /** Shell lines at the beginning of the build. */
  readonly build?: string
  /** Path of its journal. A service on this machine itself needs a path of the test's own. */
  readonly journal?: string
}

/** Path of the journal on every host: a line `NANOSECONDS ACTIVITY SERVICE VERSION CONTAINER` for each call of a wrapper. */
export const JOURNAL = '/tmp/journal'

/** Returns a package whose `bin/wrapper` writes a journal, with a file in the package for each variable of `env`. */
export function wrapperPackage(options: WrapperOptions = {}) {
  const { version = '1', body = '', env = {}, build = '', journal = JOURNAL } = options
  const files = Object.keys(env).map((name) => `printf '%s' "$${name}" > "$out/${name}"`)
  return {
    build: {
      env: { version, ...env },
      script: [
        ...(build === '' ? [] : [build]),
        'mkdir -p "$out/bin"',
        ...files,
        'cat > "$out/bin/wrapper" <<END',
        '#!/bin/sh',
        'version=$version here=$out',
        'END',
        `cat >> "$out/bin/wrapper" <<'END'`,
        body,
        `echo "$(date +%s%N) $1 $DAVIT_SERVICE $version $2" >> '${journal}'`,
        'END',
        'chmod +x "$out/bin/wrapper"',
      ].join('\n'),
    },
  }
}

/** Returns a service that the module `wrapper` starts and stops. */
export function wrapper(
  options: WrapperOptions = {},
  attributes: Readonly<Record<string, unknown>> = {},
): ServiceDescription {
  return { type: 'wrapper', pkg: wrapperPackage(options), ...attributes }
}

/** Returns a wrapper's body that creates `/tmp/NAME.begun`, and waits until `/tmp/NAME.go` exists. */
export function heldBack(name: string, activity = 'activate'): string {
  return `if [ "$1" = ${activity} ]; then
    echo $$ >> /tmp/${name}.begun
    until [ -e /tmp/${name}.go ]; do sleep 0.1; done
  fi`
}

/** Waits until a wrapper with the body that `heldBack` returns has begun. */
export async function hasBegun(host: Host, name: string): Promise<void> {
  await eventually(`the beginning of '${name}'`, () => (contentIn(host, `/tmp/${name}.begun`) ?? '') !== '')
}

/** Lets such a wrapper go on. */
export function letGo(host: Host, name: string): void {
  writeFileSync(host.inside(`/tmp/${name}.go`), '')
}

/** Returns the journals of all hosts in order of time (the hosts share a clock), and removes them. */
export async function takeJournal(
  hosts: readonly Host[],
  activities: readonly string[] = ['activate', 'deactivate'],
): Promise<readonly string[]> {
  const texts = hosts.map((host) => {
    const text = contentIn(host, JOURNAL) ?? ''
    rmSync(host.inside(JOURNAL), { force: true })
    return text
  })
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''))
  const stampOf = (line: string) => BigInt(/^\d+/.exec(line)?.[0] ?? 0)
  return lines
    .toSorted((left, right) => Number(stampOf(left) - stampOf(right)))
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((line) => activities.includes(line.split(' ', 1)[0] ?? ''))
}
