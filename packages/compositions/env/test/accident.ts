import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'

import { removeTree } from '@davit/testing/scratch'
import { afterAll, beforeAll } from 'vitest'

import { bundleExecutables } from '../../../../scripts/bundle-programs.ts'

const ENV = fileURLToPath(new URL('..', import.meta.url))
const RECONSTRUCT = fileURLToPath(new URL('../../../tools/reconstruct/src/bin.ts', import.meta.url))
const RUNTIME = fileURLToPath(new URL('../../../shipped/target-runtime/runtime', import.meta.url))

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Bundles the real davit-env for the tests of a file; returns where its programs are. */
export function realPrograms(): { readonly directory: string } {
  const programs = { directory: '' }
  let installation = ''
  beforeAll(async () => {
    installation = mkdtempSync(join(tmpdir(), 'davit-accident-'))
    programs.directory = join(installation, 'bin')
    // Where tools look for what is not bundled.
    mkdirSync(join(installation, 'modules'))
    symlinkSync(RUNTIME, join(installation, 'runtime'))
    const executables = [
      { name: 'davit-env', entry: join(ENV, 'src/bin.ts') },
      { name: 'davit-reconstruct', entry: RECONSTRUCT },
    ]
    await bundleExecutables(executables, programs.directory)
  })
  afterAll(() => removeTree(installation))
  return programs
}

const MODULE = `#!/bin/sh
exec "$2/bin/wrapper" "$1"
`

/** Two targets, which are this machine, and coordinators that deploy to them. */
export class World {
  readonly directory: string
  readonly #programs: string

  constructor(programs: string, directory: string) {
    this.#programs = programs
    this.directory = directory
    mkdirSync(this.path('modules'))
    writeFileSync(this.path('modules/counted'), MODULE, { mode: 0o755 })
    const activities = ['activate', 'deactivate', 'lock', 'unlock', 'snapshot', 'restore']
    writeFileSync(this.path('modules/counted.activities'), `${activities.join('\n')}\n`)
    writeFileSync(this.path('journal'), '')
  }

  path(...names: readonly string[]): string {
    return join(this.directory, ...names)
  }

  /** Writes models: `b` depends on `a`, and `s`, whose state moves, is on alpha in odd versions, and on beta in others. */
  write(version: number): readonly string[] {
    const place = (side: string) => ({
      properties: { hostname: 'localhost', side },
      clientInterface: 'local',
      containers: { counted: {} },
    })
    const service = (name: string, more: object = {}) => ({
      type: 'counted',
      pkg: this.#package(name, version),
      ...more,
    })
    const infrastructure = { alpha: place('alpha'), beta: place('beta') }
    const services = {
      a: service('a'),
      b: service('b', { dependsOn: ['a'] }),
      s: service('s', { deployState: true }),
    }
    const distribution = { a: ['alpha'], b: ['beta'], s: [version % 2 === 1 ? 'alpha' : 'beta'] }
    const models = Object.entries({ services, infrastructure, distribution })
    for (const [name, model] of models) writeFileSync(this.path(`${name}.json`), JSON.stringify(model))
    return models.flatMap(([name]) => [`-${name[0]}`, this.path(`${name}.json`)])
  }

  #package(name: string, version: number) {
    const script = `#!/bin/sh
set -u
if [ "$(cat '${this.path('kill-at')}' 2>/dev/null)" = "$1 ${name} ${version}" ]; then
  rm '${this.path('kill-at')}'
  kill -9 "$(cat '${this.path('pid')}')"
fi
case $1 in
  snapshot) echo "${name}" >"$DAVIT_SNAPSHOT/state" ;;
  restore) [ "$(cat "$DAVIT_SNAPSHOT/state")" = "${name}" ] || exit 1 ;;
esac
echo "$1 ${name} ${version} $DAVIT_TARGET" >>'${this.path('journal')}'
`
    return {
      build: {
        env: { text: script },
        script: 'mkdir -p "$out/bin"; printf %s "$text" >"$out/bin/wrapper"; chmod +x "$out/bin/wrapper"',
      },
    }
  }

  /** Runs davit-env, or kills it when it prints a line. */
  async run(args: readonly string[], killAt?: RegExp): Promise<Outcome> {
    return this.#start('davit-env', ['--modules', this.path('modules'), ...args], killAt)
  }

  async reconstruct(args: readonly string[]): Promise<Outcome> {
    return this.#start('davit-reconstruct', args)
  }

  async #start(program: string, args: readonly string[], killAt?: RegExp): Promise<Outcome> {
    const child = spawn(process.execPath, [join(this.#programs, `${program}.cjs`), ...args], {
      env: {
        PATH: '/usr/bin:/bin',
        HOME: this.directory,
        DAVIT_STATE_DIR: this.path('state'),
        DAVIT_STORE_DIR: this.path('store'),
        DAVIT_ISOLATION: 'none',
        DAVIT_STORE: 'native',
        TMPDIR: this.path(),
      },
    })
    writeFileSync(this.path('pid'), String(child.pid))
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
    child.stderr.on('data', (text: Buffer) => {
      stderr += text.toString()
      if (killAt?.test(stderr) === true) child.kill('SIGKILL')
    })
    const [status] = (await once(child, 'close')) as (number | null)[]
    return { status: status ?? null, stdout, stderr }
  }

  killAt(activity: string): void {
    writeFileSync(this.path('kill-at'), activity)
  }

  /** From now on, another coordinator runs, which knows nothing; returns a function that brings the first one back. */
  otherCoordinator(): () => void {
    renameSync(this.path('state/coordinator'), this.path('state/coordinator-1'))
    return () => {
      rmSync(this.path('state/coordinator'), { recursive: true, force: true })
      renameSync(this.path('state/coordinator-1'), this.path('state/coordinator'))
    }
  }

  /** What is active, according to the modules that were called; throws if something was activated twice. */
  active(): readonly string[] {
    const active = new Set<string>()
    for (const line of readFileSync(this.path('journal'), 'utf8').trimEnd().split('\n')) {
      const [activity, ...what] = line.split(' ')
      const service = what.join(' ')
      if (activity === 'activate' && active.has(service)) throw new Error(`${service} was activated twice`)
      if (activity === 'activate') active.add(service)
      if (activity === 'deactivate') active.delete(service)
    }
    return [...active].toSorted()
  }

  /** Calls of modules since a number of them. */
  calls(): readonly string[] {
    return readFileSync(this.path('journal'), 'utf8').trimEnd().split('\n')
  }
}

/** What is active once a version is deployed. */
export function deployed(version: number): readonly string[] {
  return [`a ${version} alpha`, `b ${version} beta`, `s ${version} ${version % 2 === 1 ? 'alpha' : 'beta'}`]
}
