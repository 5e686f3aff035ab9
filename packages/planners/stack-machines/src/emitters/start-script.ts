import { printing, shellWord } from '../shell.ts'

export interface Start {
  /** Its first word is looked up in `bin` of the package; without it, the only program there runs. */
  readonly command: readonly string[] | undefined
  readonly environment: ReadonlyMap<string, string>
  /** Modes of directories, by their paths. */
  readonly modes: ReadonlyMap<string, string>
  readonly readyPort: number | undefined
}

/**
 * Writes the script of a build whose package runs a program of its input `package`, or of the machine. Values are in a file, not
 * in a command line, so that their length does not matter.
 */
export function startScript({ command = [], environment, modes, readyPort }: Start): string {
  const isOnly = command.length === 0
  const body = [
    isOnly ? FIND_ONLY : `set -- ${command.map(shellWord).join(' ')}\n${FIND_IN_PACKAGE}`,
    ...[...modes].map(([path, mode]) => `chmod ${mode} ${shellWord(path)} || exit`),
    ...[...environment].map(([name, value]) => `export ${name}=${shellWord(value)}`),
    'exec "$@"',
  ]
  return [
    'package=${package-$out}',
    ...(isOnly ? [CHECK_ONLY] : []),
    'mkdir -p "$out/bin"',
    `{ printf '%s\\n' '#!/bin/sh' "cd '$package' || exit"`,
    `${printing(body.join('\n'))}} >"$out/bin/start"`,
    'chmod 755 "$out/bin/start"',
    ...(readyPort === undefined ? [] : [READY, `echo readyPort=${readyPort} >"$out/etc/dysnomia/process/start"`]),
    '',
  ].join('\n')
}

const READY = 'mkdir -p "$out/etc/dysnomia/process"'

// The program gets variables of its container too, so a script that starts it has no variables of its own.
const FIND_IN_PACKAGE = `case $1 in
  */*) ;;
  *) if [ -f "bin/$1" ] && [ -x "bin/$1" ]; then set -- "$PWD/bin/$@"; fi ;;
esac`

const FIND_ONLY = `set -- bin/*
until [ -f "$1" ] && [ -x "$1" ]; do shift; done
set -- "$PWD/$1"`

const CHECK_ONLY = `count=0
for file in "$package"/bin/*; do
  if [ -f "$file" ] && [ -x "$file" ]; then count=$((count + 1)); fi
done
if [ "$count" != 1 ]; then
  echo "the package has $count programs in 'bin': give the service a 'command'" >&2
  exit 1
fi`
