import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { StorePath } from '@davit/documents'
import { environment } from '@davit/process'
import { shellConnection } from '@davit/connection/testing'
import type { PrivateNix } from '@davit/testing/private-nix'
import type { Shell } from '@davit/testing/shells'
import { afterAll } from 'vitest'

export { connectionTo, type FarEnd, lying } from './far-end.ts'

/** Makes a directory with the programs of Nix and nothing else, until the tests of the file are over. */
export function nixPrograms(): string {
  const directory = mkdtempSync(join(tmpdir(), 'davit-nix-programs-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  for (const name of ['nix-store', 'nix-instantiate', 'nix-env', 'nix-collect-garbage']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { env: environment(), encoding: 'utf8' })
    if (stdout !== '') symlinkSync(stdout.trim(), join(directory, name))
  }
  return directory
}

export interface NixLogin {
  readonly nix: PrivateNix
  /** Directory with its programs of Nix. */
  readonly programs: string
  /** Home and state directory. */
  readonly home: string
}

/** Returns a connection to a machine with its own Nix, with this login shell. */
export function nixConnection(shell: Shell, { nix, programs, home }: NixLogin): ReturnType<typeof shellConnection> {
  mkdirSync(home, { recursive: true })
  // A killed Nix leaves its builds there.
  const temporary = nix.place('tmp')
  mkdirSync(temporary, { recursive: true })
  return shellConnection({ ...shell, path: `${programs}:${shell.path}` }, home, {
    within: join(nix.directory, 'bin/in-private-nix'),
    environment: { NIX_CONF_DIR: join(nix.directory, 'conf'), TMPDIR: temporary },
  })
}

const CLOSURES = `{ labels }: let
  package = name: script: derivation {
    inherit name; system = builtins.currentSystem; builder = "/bin/sh"; args = [ "-c" script ];
  };
  closure = label: let first = package "\${label}-a" "echo a >$out"; in
    package "\${label}-b" "PATH=/usr/bin:/bin; mkdir $out; echo \${first} >$out/first";
in map closure (builtins.fromJSON labels)`

/** For each label, makes a file and a directory that refers to it, in this order; the label is part of their names. */
export type Closure = readonly [StorePath, StorePath]

/** Builds closures without common paths. */
export function buildClosures(nix: PrivateNix, labels: readonly string[]): (label: string) => Closure {
  const script = `tops=$(nix-store -r $(nix-instantiate --expr "$1" --argstr labels "$2" 2>/dev/null) 2>/dev/null)
    for top in $tops; do nix-store -q --references $top; echo $top; done`
  const paths = linesOf(nix.shell(script, CLOSURES, JSON.stringify(labels))) as StorePath[]
  return (label) => {
    const closure = paths.filter((path) => /-(.*)-[ab]$/.exec(path)?.[1] === label)
    if (closure.length !== 2) throw new Error(`there is no closure '${label}'`)
    return closure as [StorePath, StorePath] & Closure
  }
}

/** Returns the paths that are valid in a store. */
export function validOf(nix: PrivateNix, paths: readonly StorePath[]): readonly StorePath[] {
  const invalid = new Set(linesOf(nix.shell('nix-store --check-validity --print-invalid "$@"', ...paths)))
  return paths.filter((path) => !invalid.has(path))
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
