import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll } from 'vitest'
import { removeTree } from './scratch.ts'

/** An empty store, which the Nix programs on the PATH of its environment see as `/nix`. */
export interface PrivateNix {
  /** Contains `nix` (which is `/nix` inside), `home`, `conf` and `bin`. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Runs a script of sh that sees this store, and returns its standard output; throws if it fails. */
  shell(script: string, ...parameters: readonly string[]): string
  /** Returns where a path below `/nix` is outside. */
  place(path: string): string
  remove(): void
}

export interface PrivateNixOptions {
  /** Further lines of nix.conf. */
  readonly settings?: readonly string[]
}

const PROGRAMS = ['nix', 'nix-store', 'nix-instantiate', 'nix-env', 'nix-collect-garbage', 'nix-hash', 'nix-build']

/** Why a private store is not possible here. */
export const noPrivateNix: string | undefined = reasonAgainst()
if (noPrivateNix !== undefined) console.warn(`tests with the real Nix are skipped: ${noPrivateNix}`)

/** Like `privateNix`; removed after the tests of the file. */
export function privateNixOfFile(options?: PrivateNixOptions): PrivateNix {
  const nix = privateNix(options)
  afterAll(() => nix.remove())
  return nix
}

export function privateNix({ settings = [] }: PrivateNixOptions = {}): PrivateNix {
  const directory = mkdtempSync(join(tmpdir(), 'davit-nix-'))
  for (const name of ['nix', 'home', 'conf', 'bin']) mkdirSync(join(directory, name))
  const plain = ['sandbox = false', 'build-users-group =', 'substituters =', 'fsync-metadata = false']
  writeFileSync(join(directory, 'conf/nix.conf'), [...plain, ...settings].map((line) => `${line}\n`).join(''))
  const enter = join(directory, 'bin/in-private-nix')
  writeProgram(enter, enterScript(join(directory, 'nix')))
  for (const name of PROGRAMS) {
    const program = programOf(name)
    if (program !== undefined)
      writeProgram(join(directory, 'bin', name), `#!/bin/sh\nexec '${enter}' '${program}' "$@"\n`)
  }
  const own = environmentOf(directory)
  // Two Nix programs that create the database at the same time conflict.
  if (noPrivateNix === undefined) shellOutput([enter, 'nix-store', '--init'], own)
  return {
    directory,
    environment: own,
    shell: (script, ...parameters) => shellOutput([enter, 'sh', '-ec', script, 'sh', ...parameters], own),
    place: (path) => join(directory, path),
    remove: () => removeTree(directory),
  }
}

/** Returns an environment without settings of the machine's own Nix. */
function environmentOf(directory: string): Readonly<Record<string, string>> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(NIX|XDG)_/.test(name) ? [] : [[name, value] as const],
  )
  return {
    ...Object.fromEntries(inherited),
    PATH: `${join(directory, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: join(directory, 'home'),
    NIX_CONF_DIR: join(directory, 'conf'),
    // The place outside, for programs that do not see this store as `/nix`.
    NIX_STATE_DIR: join(directory, 'nix/var/nix'),
  }
}

/** Returns a script that uses `exec`, so that signals reach the program. */
function enterScript(nix: string): string {
  const inside = `mount --bind '${nix}' /nix && exec "$@"`
  return `#!/bin/sh\nexec unshare -m --propagation private sh -c '${inside.replaceAll("'", `'\\''`)}' sh "$@"\n`
}

function shellOutput(
  [program, ...parameters]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): string {
  const { status, stdout, stderr } = spawnSync(program, parameters, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${parameters.join(' ')}: ${stderr}`)
  return stdout
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

function programOf(name: string): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  return directories.map((directory) => join(directory, name)).find((path) => isExecutable(path))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function reasonAgainst(): string | undefined {
  if (programOf('nix-store') === undefined) return 'nix-store is not installed'
  const directory = mkdtempSync(join(tmpdir(), 'davit-nix-'))
  const script = `mkdir -p /nix && exec unshare -m --propagation private mount --bind '${directory}' /nix`
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  rmSync(directory, { recursive: true })
  return status === 0 ? undefined : `no mount namespace: ${stderr.trim()}`
}
