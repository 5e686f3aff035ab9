import { printing, shellWord } from '../shell.ts'

/** A package that runs something: a script that the build writes, and what it needs. */
export interface Start {
  /** Commands of the build that check what it gets. */
  readonly checks?: readonly string[]
  /** Texts of files in the package, by their names. */
  readonly files?: ReadonlyMap<string, string>
  /** First lines of the script; the build replaces variables in them by paths. */
  readonly paths: readonly string[]
  /** Lines that make the words of what runs, `"$@"`. */
  readonly words: readonly string[]
  readonly environment?: ReadonlyMap<string, string>
  /** Modes of directories, by their paths. */
  readonly modes?: ReadonlyMap<string, string>
  /** Runs the words. */
  readonly run?: string
  readonly readyPort: number | undefined
}

/**
 * Writes the script of a build whose package runs a program. Values are in a file, not in a command line, so that their length
 * does not matter. The program gets variables of its container too, so what starts it sets none of its own.
 */
export function startScript(start: Start): string {
  const { checks = [], files = [], paths, words, environment = [], modes = [], run = 'exec "$@"', readyPort } = start
  const body = [
    // Where the shell was before is nobody's business.
    'unset OLDPWD',
    ...words,
    ...[...modes].map(([path, mode]) => `chmod ${mode} ${shellWord(path)} || exit`),
    ...[...environment].map(([name, value]) => `export ${name}=${shellWord(value)}`),
    run,
  ]
  return [
    ...checks,
    'mkdir -p "$out/bin"',
    ...[...files].map(([name, text]) => `{ ${printing(text)}} >"$out/${name}"`),
    `{ printf '%s\\n' '#!/bin/sh' ${paths.map((line) => `"${line}"`).join(' ')}`,
    `${printing(body.join('\n'))}} >"$out/bin/start"`,
    'chmod 755 "$out/bin/start"',
    ...(readyPort === undefined ? [] : [READY, `echo readyPort=${readyPort} >"$out/etc/dysnomia/process/start"`]),
    '',
  ].join('\n')
}

const READY = 'mkdir -p "$out/etc/dysnomia/process"'

/** A line of `paths` that goes to the package of an input. */
export const INTO_PACKAGE = `cd '$package' || exit`

/** Lines of `words` that have a program run by Node.js, which the machine or a property of the container has. */
export const BY_NODE = [
  `command -v "\${node:-node}" >/dev/null || {
  echo "this service needs Node.js 18 or later: install it on this machine, or set the property 'node' of the container to its path" >&2
  exit 1
}`,
  'set -- "$(command -v "${node:-node}")" "$@"',
]
