import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll } from 'vitest'
import { removeTree } from './scratch.ts'

/** An empty store that is `/nix` for the programs of Nix that are found on the PATH of its environment. */
export interface PrivateNix {
  /** Holds `nix` (what is `/nix` inside), `home`, `conf` and `bin`. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Standard output of a script of sh that sees this store; throws when it fails. */
  shell(script: string, ...parameters: readonly string[]): string
  /** Where a path below `/nix` can be looked at from outside. */
  place(path: string): string
  remove(): void
}

export interface PrivateNixOptions {
  /** Further lines of nix.conf. */
  readonly settings?: readonly string[]
}

const PROGRAMS = ['nix', 'nix-store', 'nix-instantiate', 'nix-env', 'nix-collect-garbage', 'nix-hash', 'nix-build']

/** Why there can be no private store here; tests are skipped, which must be seen. */
export const noPrivateNix: string | undefined = reasonAgainst()
if (noPrivateNix !== undefined) console.warn(`tests with the real Nix are skipped: ${noPrivateNix}`)

/** As `privateNix`, and gone with the test file. */
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
  // Two programs of Nix that make the database at the same time disturb each other.
  if (noPrivateNix === undefined) shellOutput([enter, 'nix-store', '--init'], own)
  return {
    directory,
    environment: own,
    shell: (script, ...parameters) => shellOutput([enter, 'sh', '-ec', script, 'sh', ...parameters], own),
    place: (path) => join(directory, path),
    remove: () => removeTree(directory),
  }
}

/** Nothing of the machine's own Nix is left in it. */
function environmentOf(directory: string): Readonly<Record<string, string>> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(NIX|XDG)_/.test(name) ? [] : [[name, value] as const],
  )
  return {
    ...Object.fromEntries(inherited),
    PATH: `${join(directory, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: join(directory, 'home'),
    NIX_CONF_DIR: join(directory, 'conf'),
    // The same place, where programs that do not see this store find it as well.
    NIX_STATE_DIR: join(directory, 'nix/var/nix'),
  }
}

/** The process that is started becomes the program: signals reach it. */
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
