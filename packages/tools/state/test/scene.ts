import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { isThorough } from '@davit/testing/effort'
import { removeTree } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { runHere } from '@davit/tool/testing'

import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { type Executable, executables, toolOf } from '../../../../scripts/executables.ts'

/** Where services are, such as `{ db: 't1' }`; a service may be at several targets. */
export type Placement = Readonly<Record<string, string | readonly string[]>>

export interface ManifestOptions {
  readonly targets?: readonly string[]
  /** Version of the packages, and so of the components and the profiles. */
  readonly version?: string
  readonly cores?: number
}

type Variables = Readonly<Record<string, string>>

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const HASH = '0'.repeat(32)
const TARGETS = ['t1', 't2', 't3']

const EXECUTABLES = executables(
  ['../', '../../activate/', '../../lock/'].map((path) => fileURLToPath(new URL(path, import.meta.url))),
)

/** Tools, and local targets with services whose state is a file. Each test has a new one, in the same directory. */
export class Scene {
  directory = ''
  #programs = ''
  /** Paths of the programs of tools, which are built when a test starts the first process of a tool. */
  readonly #built = new Map<string, Promise<string>>()
  /** Has a copy of the directory for each beginning. */
  #kept = ''
  /** What each beginning returned, and the name of its copy. */
  readonly #beginnings = new Map<string, { readonly result: unknown; readonly copy: string }>()
  /** The deployments that the test has begun with, as long as it has done nothing else. */
  #onlyDeployed: readonly string[] | undefined

  constructor() {
    beforeAll(async () => {
      // What the first test of a worker would wait for.
      if (!isThorough) await Promise.all(EXECUTABLES.map(toolOf))
      const made = ['programs', 'kept', 'scene'].map((name) => mkdtempSync(join(tmpdir(), `davit-state-${name}-`)))
      ;[this.#programs = '', this.#kept = '', this.directory = ''] = made
    })
    afterAll(() => {
      for (const directory of [this.#programs, this.#kept, this.directory]) removeTree(directory)
    })
    beforeEach(() => {
      this.#empty()
      this.profile()
      this.#onlyDeployed = []
    })
  }

  #empty(): void {
    removeTree(this.directory)
    mkdirSync(this.directory)
  }

  /**
   * Begins a test with what `make` does. It is done once; later tests of the file get a copy of what it left, in place of
   * anything that they have written before.
   */
  async begin<Result>(name: string, make: () => Promise<Result>): Promise<Result> {
    const known = this.#beginnings.get(name)
    if (known !== undefined) {
      this.#onlyDeployed = undefined
      this.#empty()
      copyTree(known.copy, this.directory)
      return known.result as Result
    }
    const result = await make()
    this.#onlyDeployed = undefined
    const copy = join(this.#kept, String(this.#beginnings.size))
    copyTree(this.directory, copy)
    this.#beginnings.set(name, { result, copy })
    return result
  }

  /** Whoever gets a path may change what is there. */
  path(...names: readonly string[]): string {
    this.#onlyDeployed = undefined
    return this.#at(...names)
  }

  #at(...names: readonly string[]): string {
    return join(this.directory, ...names)
  }

  /** Writes a profile with the module; activities besides the usual ones are declared as well, and `lacks` are not. */
  profile({ version = '1', declared = [] as readonly string[], lacks = [] as readonly string[] } = {}): void {
    const directory = this.path(`store/${HASH}-profile-${version}/modules`)
    mkdirSync(directory, { recursive: true })
    const file = join(directory, 'module')
    writeFileSync(
      file,
      `#!/bin/sh
D='${this.directory}' name=\${2##*-} name=\${name%%.*}
echo "$1 $name on $DAVIT_TARGET\${where-}" >>"$D/log"
state=$D/state-$name-$DAVIT_TARGET
[ ! -e "$D/hang-$1-$name" ] || while [ -e "$D/hang-$1-$name" ]; do sleep 0.02; done
[ ! -e "$D/fail-$1-$name" ] || { echo "sorry: $1" >&2; exit 3; }
case $1 in
  activate) [ -e "$state" ] || echo fresh >"$state"; : >"$D/up-$name-$DAVIT_TARGET" ;;
  deactivate) rm -f "$D/up-$name-$DAVIT_TARGET" ;;
  snapshot) [ -e "$D/mute-$name" ] || cp "$state" "$DAVIT_SNAPSHOT/dump" ;;
  restore) [ ! -e "$D/up-$name-$DAVIT_TARGET" ] || echo "while up" >>"$D/log"; cp "$DAVIT_SNAPSHOT/dump" "$state" ;;
  collect-garbage) rm -f "$state" ;;
  verify) [ "$(head -c 5 "$DAVIT_SNAPSHOT/dump")" != wrong ] ;;
  status) [ -e "$D/up-$name-$DAVIT_TARGET" ] ;;
esac
`,
    )
    chmodSync(file, 0o755)
    const usual = ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage', 'status']
    const activities = [...usual, ...declared].filter((name) => !lacks.includes(name))
    writeFileSync(`${file}.activities`, activities.map((name) => `${name}\n`).join(''))
  }

  /** Text of a manifest; each service has state, in the container `box`. */
  manifest(placement: Placement, { targets = TARGETS, version = '1', cores = 2 }: ManifestOptions = {}): string {
    const suffix = version === '1' ? '' : `.${version}`
    const placed = Object.entries(placement).flatMap(([name, places]) =>
      [places].flat().map((target) => ({ name, target })),
    )
    const mappings = placed.map(({ name, target }) => ({ service: `${name}-${version}`, target, container: 'box' }))
    const services = Object.keys(placement).map((name) => [
      `${name}-${version}`,
      {
        name,
        pkg: this.#at(`store/${HASH}-${name}${suffix}`),
        type: 'module',
        dependsOn: [],
        connectsTo: [],
        providesContainers: {},
      },
    ])
    const target = {
      properties: { hostname: 'localhost' },
      containers: { box: {} },
      system: 'x86_64-linux',
      numOfCores: cores,
      clientInterface: 'local',
      targetProperty: 'hostname',
    }
    return `${JSON.stringify({
      document: 'manifest',
      version: 2,
      store: { kind: 'native', directory: this.#at('store') },
      profiles: Object.fromEntries(targets.map((name) => [name, this.#at(`store/${HASH}-profile-${version}`)])),
      services: Object.fromEntries(services),
      infrastructure: Object.fromEntries(targets.map((name) => [name, target])),
      serviceMappings: mappings,
      snapshotMappings: placed.map(({ name }, index) => ({ ...mappings[index], component: `${name}${suffix}` })),
    })}\n`
  }

  /** Writes a file, and returns its path. */
  write(name: string, text: string): string {
    writeFileSync(this.path(name), text)
    return this.path(name)
  }

  link(to: string, path: string): void {
    symlinkSync(to, path)
  }

  /**
   * Activates a manifest, and makes it the current generation; returns the path of its file. Deployments that several tests of a file
   * begin with are made once.
   */
  async deploy(name: string, text: string, options: readonly string[] = []): Promise<string> {
    if (this.#onlyDeployed === undefined) return this.#deploy(name, text, options)
    const begun = [...this.#onlyDeployed, name, text, ...options]
    const file = await this.begin(begun.join('\n'), () => this.#deploy(name, text, options))
    this.#onlyDeployed = begun
    return file
  }

  async #deploy(name: string, text: string, options: readonly string[]): Promise<string> {
    const file = this.write(name, text)
    const { status, stderr } = await this.run('activate', [...options, file])
    if (status !== 0) throw new Error(stderr)
    await addGeneration(deploymentPlace(this.path('state'), 'default' as ProfileName), {
      manifest: parseDocument(Manifest, text, { file }),
      text,
      origin: { time: new Date(), user: '', host: '' },
    })
    this.calls()
    return file
  }

  /** Runs a tool: in this process, or as one of its own with DAVIT_TEST_THOROUGH=1. */
  async run(
    name: string,
    args: readonly string[] = [],
    call: { input?: string; environment?: Variables } = {},
  ): Promise<Ended> {
    if (isThorough) return this.runAsProcess(name, args, call)
    const { input = '', environment = {} } = call
    const around = { ...this.#environment(), ...environment }
    return runHere(await toolOf(executableOf(name)), args, { environment: around, directory: this.directory, input })
  }

  /** Runs a tool as a process of its own. */
  async runAsProcess(
    name: string,
    args: readonly string[] = [],
    { input = '', environment = {} }: { input?: string; environment?: Variables } = {},
  ): Promise<Ended> {
    const env = { ...this.#environment(), ...environment }
    const options = { input, env, encoding: 'utf8', cwd: this.directory } as const
    const { status, stdout, stderr } = spawnSync(await this.#program(name), args, options)
    return { status, stdout, stderr }
  }

  #log(): string {
    return existsSync(this.path('log')) ? readFileSync(this.path('log'), 'utf8') : ''
  }

  #program(name: string): Promise<string> {
    const built = this.#built.get(name) ?? this.#build(name)
    this.#built.set(name, built)
    return built
  }

  async #build(name: string): Promise<string> {
    const out = join(this.#programs, name)
    await bundleTools([executableOf(name)], out)
    return join(out, 'bin', `davit-${name}.cjs`)
  }

  #environment(): Variables {
    return { PATH: process.env['PATH'] ?? '', HOME: this.directory, DAVIT_STATE_DIR: this.path('state') }
  }

  /** What a tool prints; it must succeed. */
  async output(name: string, ...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(name, args)
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
    return stdout
  }

  /** Calls of the module since the last time this was called, without questions for the status. */
  calls(): readonly string[] {
    const lines = this.#log().trimEnd().split('\n')
    rmSync(this.path('log'), { force: true })
    return lines.filter((line) => line !== '' && !line.startsWith('status ')).toSorted()
  }

  /** The same, in the order of the calls. */
  callsInOrder(): readonly string[] {
    const lines = readFileSync(this.path('log'), 'utf8').trimEnd().split('\n')
    this.calls()
    return lines.filter((line) => !line.startsWith('status '))
  }

  /** Runs a tool as the command of davit-lock. */
  async hold(manifest: string, [name = '', ...args]: readonly string[]): Promise<Ended> {
    return this.runAsProcess('lock', [this.path(manifest), '--', await this.#program(name), ...args])
  }

  /** Interrupts a tool while its module hangs in an activity, which then goes on; returns its status. */
  async interrupt(what: string, [name = '', ...args]: readonly string[]): Promise<number | null> {
    this.write(`hang-${what}`, '')
    const tool = spawn(await this.#program(name), args, {
      env: this.#environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    tool.stderr.on('data', (text: Buffer) => (said += text.toString()))
    await until(() => expect(this.#log()).toContain(what.replace('-', ' ')))
    tool.kill('SIGINT')
    await until(() => expect(said).toContain('interrupted'))
    rmSync(this.path(`hang-${what}`))
    const [status] = (await once(tool, 'exit')) as [number | null]
    return status
  }

  /** Works while another shell holds the lock. */
  async whileLocked<Result>(manifest: string, work: () => Promise<Result>): Promise<Result> {
    const script = '"$1" "$2" >/dev/null && echo locked && read -r _ && "$3" "$2" >/dev/null'
    const words = ['-c', script, 'sh', await this.#program('lock'), this.path(manifest), await this.#program('unlock')]
    const shell = spawn('sh', words, { env: this.#environment(), stdio: ['pipe', 'pipe', 'inherit'] })
    await once(shell.stdout, 'data')
    const result = await work()
    shell.stdin.end('\n')
    await once(shell, 'exit')
    return result
  }

  state(name: string, target: string): string | undefined {
    const file = this.path(`state-${name}-${target}`)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }

  setState(name: string, target: string, text: string): void {
    writeFileSync(this.path(`state-${name}-${target}`), text)
  }

  /** The contents of snapshots, oldest first, as `davit-snapshots` lists them: `db t1 target`. */
  async snapshots(...args: readonly string[]): Promise<readonly string[]> {
    const text = await this.output('snapshots', '--format', 'json', ...args)
    const listed = JSON.parse(text) as readonly { service: string; target: string; where: string; name: string }[]
    return listed.map(({ service, target, where }) => `${service} ${target} ${where}`)
  }

  /** Names of the snapshots in a store, oldest first. */
  async names(where: 'targets' | 'coordinator', ...args: readonly string[]): Promise<readonly string[]> {
    const text = await this.output('snapshots', '--format', 'json', '--where', where, ...args)
    return (JSON.parse(text) as readonly { name: string }[]).map(({ name }) => name)
  }

  fail(what: string): void {
    this.write(`fail-${what}`, '')
  }
}

function executableOf(name: string): Executable {
  const executable = EXECUTABLES.find((one) => one.name === `davit-${name}`)
  if (executable === undefined) throw new Error(`no davit-${name} here`)
  return executable
}

/** Copies with links, times and modes, which snapshots and records depend on. */
function copyTree(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-aT', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
