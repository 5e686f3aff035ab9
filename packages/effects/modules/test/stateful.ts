import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Shell } from '@davit/testing/shells'

import { type Outcome, Scene, scratchPath, shippedModule } from './scene.ts'

/** A component whose module keeps state, called as davit calls it. */
export class Stateful extends Scene {
  readonly properties: Readonly<Record<string, string>>
  private readonly module: string

  constructor(shell: Shell, module: string, { files = {}, properties = {} }: StatefulOptions) {
    super(shell, files)
    this.module = module
    this.properties = properties
  }

  override call(activity: string, properties: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return this.run(this.argv(activity), { ...this.properties, ...properties })
  }

  /** What a shell is called with for an activity. */
  argv(activity: string): readonly string[] {
    return [shippedModule(this.module), activity, this.component]
  }

  /** Calls activities in turn, all of which must succeed without a word on standard error. */
  async succeed(...activities: readonly string[]): Promise<void> {
    for (const activity of activities) {
      const { status, stderr } = await this.call(activity)
      if (status !== 0 || stderr !== '') throw new Error(`${activity} ended with ${status}: ${stderr}`)
    }
  }

  /** Forgets what the module has noted, as if Dysnomia's had activated the component, and davit had adopted it. */
  adopt(boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')): void {
    rmSync(join(this.directory, 'run', this.module), { recursive: true, force: true })
    mkdirSync(join(this.directory, 'run/adopted'), { recursive: true })
    writeFileSync(join(this.directory, `run/adopted/${this.module}:key1`), boot)
  }

  /** Takes a snapshot, and copies it as davit does: links at its top are read, all others are kept. */
  async snapshot(): Promise<string> {
    const linked = mkdtempSync(join(this.directory, 'linked-'))
    const { status, stderr } = await this.call('snapshot', { DAVIT_SNAPSHOT: linked })
    if (status !== 0) throw new Error(`snapshot ended with ${status}: ${stderr}`)
    const snapshot = mkdtempSync(join(this.directory, 'snapshot-'))
    for (const name of readdirSync(linked)) copy(`${linked}/${name}`, join(snapshot, name), '-H')
    return snapshot
  }

  /** Restores a copy of a snapshot, since the module may move its files. */
  restore(snapshot: string): Promise<Outcome> {
    return this.call('restore', { DAVIT_SNAPSHOT: this.copyOf(snapshot) })
  }

  /**
   * Calls an activity in which everything is killed just before its n-th call of a tool that changes files, or of a program of `programs`,
   * a directory.
   */
  killed(
    activity: string,
    n: number,
    properties: Readonly<Record<string, string>> = {},
    programs = '/bin',
  ): Promise<Outcome> {
    const counter = join(mkdtempSync(join(this.directory, 'calls-')), 'n')
    writeFileSync(counter, '')
    const path = scratchPath(
      Object.fromEntries(TOOLS.map((name) => [name, killing(counter, n, placeOf(name, programs))])),
    )
    const child = spawn('sh', [shippedModule(this.module), activity, this.component], {
      env: { ...this.environment, ...this.properties, ...properties, PATH: `${path}:/usr/bin:/bin` },
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    })
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout: '', stderr: '' })))
  }

  copyOf(snapshot: string): string {
    const directory = mkdtempSync(join(this.directory, 'copy-'))
    copy(`${snapshot}/.`, directory)
    return directory
  }

  make(path: string): string {
    mkdirSync(join(this.directory, path), { recursive: true })
    return join(this.directory, path)
  }
}

interface StatefulOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly properties?: Readonly<Record<string, string>>
}

const TOOLS = [
  'mv',
  'rm',
  'mkdir',
  'rmdir',
  'ln',
  'chown',
  'chmod',
  'sync',
  'mariadb',
  'mariadb-dump',
  'setpriv',
  'supervisorctl',
  'svnadmin',
  'influx',
  'docker',
]

/** A tool that counts its calls in a file, as dots, kills everything at the n-th, and is another program otherwise. */
function killing(counter: string, n: number, program: string): string {
  return `#!/bin/sh
printf . >>'${counter}'
read -r calls <'${counter}'
[ "\${#calls}" -lt ${n} ] || kill -KILL 0
exec '${program}' "$@"
`
}

function placeOf(name: string, programs: string): string {
  return existsSync(join(programs, name)) ? join(programs, name) : `/bin/${name}`
}

function copy(from: string, to: string, ...options: readonly string[]): void {
  const { status, stderr } = spawnSync('cp', ['-a', ...options, '--', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** Everything below a directory: paths with modes, owners, and content or target. Times do not matter. */
export function contentOf(directory: string): readonly string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return paths.toSorted().map((path) => {
    const place = join(directory, path)
    const entry = lstatSync(place)
    const attributes = `${path}\t${entry.mode.toString(8)}\t${entry.uid}:${entry.gid}`
    if (entry.isSymbolicLink()) return `${attributes}\t${readlinkSync(place)}`
    return entry.isFile() ? `${attributes}\t${readFileSync(place, 'base64')}` : attributes
  })
}

/** The shell script that makes the example of the page of a module. */
export function exampleOf(page: string): string {
  const text = readFileSync(new URL(`../../../../docs/modules/${page}.md`, import.meta.url), 'utf8')
  const [, script = ''] = /^## Example$[^]*?^```sh\n([^]*?)^```$/m.exec(text) ?? []
  return script
}
