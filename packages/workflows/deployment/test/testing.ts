import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { type Connection, openLocal } from '@davit/connection'
import { withLock } from '@davit/deployment-lock'
import type { ReportEvent } from '@davit/diagnostics'
import type {
  ContainerName,
  Manifest,
  ManifestService,
  Mapping,
  ProfileName,
  PropertyValue,
  ServiceKey,
  ServiceName,
  StorePath,
  System,
  TargetName,
} from '@davit/documents'
import type { Secrets } from '@davit/secrets'
import { type Machine, openMachine, type Role, type ShellTarget } from '@davit/target'
import { KINDS, remarkText } from '@davit/transition'
import { renderTransition } from '@davit/transition/testing'

import { applyManifest, type ApplyTerms } from '../src/apply-manifest.ts'
import { planFor } from '../src/plan-for.ts'

/** Time limit of activities, in tests of activities that take longer. */
export const HALF_A_MINUTE = 30

export interface ServiceSpec {
  readonly dependsOn?: readonly string[]
  readonly connectsTo?: readonly string[]
  readonly properties?: Readonly<Record<string, PropertyValue>>
}

type Spec = Readonly<Record<string, Readonly<Record<string, ServiceSpec>>>>
type PlanTerms = Parameters<typeof planFor>[2]

/**
 * Simulated machines, each a directory for state on this machine. A running service is a file `up-SERVICE`; the module records
 * its calls, and answers `status`. An activity with a limit of half a minute exceeds it as soon as there is
 * a file `late-ACTIVITY-SERVICE`, so that nothing depends on the speed of this machine.
 */
export class Machines {
  readonly directory = mkdtempSync(join(tmpdir(), 'davit-machines-'))
  readonly events: ReportEvent[] = []
  readonly #connections: Connection[] = []
  readonly #connect = new Map<string, () => Promise<Connection>>()

  constructor() {
    for (const name of ['modules', 'bin']) mkdirSync(join(this.directory, name))
    this.module('module')
    writeFileSync(join(this.directory, 'bin/sleep'), clockIn(this.directory), { mode: 0o755 })
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
    removeTree(this.directory)
  }

  /** Writes the module of that name in the profile; `version` makes it a different one. */
  module(name: string, { version = 1 } = {}): void {
    const file = join(this.directory, 'modules', name)
    const script = `#!/bin/sh
# version ${version}
D='${this.directory}' name=\${2##*-}
echo "$1 $name$port" >>"$D/log"
[ ! -e "$D/hang-$1-$name" ] || { : >"$D/late-$1-$name"; sleep 1000; }
case $1 in
  activate) [ ! -e "$D/fail-$name" ] && touch "$D/up-$name" ;;
  deactivate) rm -f "$D/up-$name" ;;
  status) [ -e "$D/up-$name" ] ;;
esac
`
    writeFileSync(file, script)
    chmodSync(file, 0o755)
    writeFileSync(`${file}.activities`, 'activate\ndeactivate\nstatus\n')
  }

  async target(machine: string, name: string, secrets?: Secrets): Promise<ShellTarget> {
    const state = join(this.directory, machine)
    const TMPDIR = this.#temporary(machine)
    const own = { DAVIT_STATE_DIR: state, NIX_STATE_DIR: join(state, 'nix'), TMPDIR }
    const environment = { PATH: '/usr/bin:/bin', HOME: this.directory, ...own }
    const connection = openLocal({ environment })
    this.#connections.push(connection)
    const run = (script: string) => connection.run(`PATH='${this.directory}/bin':$PATH; ${script}`)
    const connect = async () => ({ ...connection, run })
    this.#connect.set(name, connect)
    return { name: name as TargetName, machine: await openMachine(connect, { secrets }) }
  }

  /** Opens a helper of another role on the machine of a target. */
  async helper<R extends Role>({ name }: ShellTarget, role: R): Promise<Machine<R>> {
    return openMachine(this.#connect.get(name)!, { role })
  }

  #temporary(machine: string): string {
    const directory = join(this.directory, `tmp-${machine}`)
    mkdirSync(directory, { recursive: true })
    return directory
  }

  /** Locks a deployment as Disnix does, and returns the file. */
  lockOriginal(machine: string, profile = 'default'): string {
    const file = join(this.#temporary(machine), `disnix-${profile}.lock`)
    writeFileSync(file, '')
    return file
  }

  /** Notes that a profile of Disnix was adopted, by a target `one` that has a profile of davit. */
  adopt(machine: string, path: string, profile = 'default'): void {
    const adopted = join(this.directory, machine, 'adopted')
    mkdirSync(adopted, { recursive: true })
    symlinkSync(path, join(adopted, profile))
    const own = join(this.directory, machine, 'targets/one/profiles', profile)
    mkdirSync(own, { recursive: true })
    symlinkSync(path, join(own, 'current'))
  }

  /** Directory of the store that manifests name. */
  get store(): string {
    return join(this.directory, 'store')
  }

  /** A path that the store might have. */
  stored(name: string): StorePath {
    return join(this.store, `00000000000000000000000000000000-${name}`) as StorePath
  }

  /** Services by target, each in a container of its own name. */
  manifest(spec: Spec): Manifest {
    const placed = Object.entries(spec).flatMap(([target, services]) =>
      Object.entries(services).map(([name, service]) => ({ mapping: mappingOf(target, name), name, service })),
    )
    const mappingsOf = (names: readonly string[] = []) =>
      placed.filter(({ name }) => names.includes(name)).map(({ mapping }) => mapping)
    const entries = placed.map(({ name, service }): [ServiceKey, ManifestService] => [
      name as ServiceKey,
      {
        name: name as ServiceName,
        pkg: this.stored(name),
        type: 'module',
        dependsOn: mappingsOf(service.dependsOn),
        connectsTo: mappingsOf(service.connectsTo),
        providesContainers: new Map(),
      },
    ])
    return {
      store: { kind: 'native', directory: this.store },
      profiles: new Map(Object.keys(spec).map((name) => [name as TargetName, this.directory as StorePath])),
      services: new Map(entries),
      infrastructure: new Map(
        Object.entries(spec).map(([target, services]) => [
          target as TargetName,
          {
            system: 'x86_64-linux' as System,
            numOfCores: 2,
            clientInterface: 'local',
            targetProperty: 'hostname',
            properties: new Map(),
            containers: new Map(
              Object.entries(services).map(([name, { properties = {} }]) => [
                name as ContainerName,
                new Map(Object.entries(properties)),
              ]),
            ),
          },
        ]),
      ),
      serviceMappings: placed.map(({ mapping }) => mapping),
      snapshotMappings: [],
    }
  }

  terms(terms: Partial<PlanTerms> = {}): PlanTerms {
    const report = (event: ReportEvent) => void this.events.push(event)
    const signal = new AbortController().signal
    const profile = 'default' as ProfileName
    const none = { old: undefined, previous: undefined } as const
    return { profile, ...none, upgrade: 'upgrade', report, signal, running: 'wait', ...terms }
  }

  async plan(
    next: Manifest,
    targets: readonly ShellTarget[],
    terms: Partial<PlanTerms> = {},
  ): Promise<readonly string[]> {
    const { deployed, notes, transition } = await planFor(next, targets, this.terms(terms))
    return [
      ...[...deployed.warnings, ...notes].map(remarkText),
      ...renderTransition(transition, KINDS).trimEnd().split('\n'),
    ]
  }

  async deploy(
    next: Manifest,
    targets: readonly ShellTarget[],
    { confirm, ...given }: Partial<PlanTerms> & Pick<ApplyTerms, 'confirm'> = {},
  ) {
    const terms = this.terms(given)
    const place = join(this.directory, 'coordinator', terms.profile)
    const use = { profile: terms.profile, leaseSeconds: 60, place, locking: 'join-or-take' } as const
    return withLock(targets, use, async (lock) => {
      const plan = await planFor(next, targets, terms)
      return lock.extend(plan.deployed.renamed, ({ token, lost }) =>
        applyManifest(next, plan, { ...terms, confirm, token, lost, rollback: 'rollback' }),
      )
    })
  }

  /** Calls of the module since the last time this was called. */
  calls(): readonly string[] {
    const log = join(this.directory, 'log')
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
    rmSync(log, { force: true })
    return lines.filter((line) => !line.startsWith('status '))
  }

  /** Reports about the plans themselves. */
  told(): readonly string[] {
    return this.events.flatMap((event) =>
      event.kind === 'note' || event.kind === 'detail' ? [`${event.kind}: ${event.message}`] : [],
    )
  }

  up(): readonly string[] {
    return readdirSync(this.directory).flatMap((name) => (name.startsWith('up-') ? [name.slice('up-'.length)] : []))
  }

  die(name: string): void {
    rmSync(join(this.directory, `up-${name}`))
  }

  /** Simulates a reboot: nothing runs any more, and records are of another boot. */
  reboot(machine: string, target: string, profile = 'default'): void {
    for (const name of readdirSync(this.records(machine, target, profile))) {
      rmSync(join(this.directory, `up-${name.slice(name.indexOf(':') + 1)}`), { force: true })
      this.edit(join(this.records(machine, target, profile), name, 'record'), /^boot .*/m, 'boot of-yore')
    }
  }

  records(machine: string, target: string, profile = 'default'): string {
    return join(this.directory, machine, 'targets', target, 'active', profile)
  }

  edit(file: string, pattern: RegExp, text: string): void {
    writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, text))
  }
}

/** A `sleep` that recognises from the module that its parent watches, a child of the same process, what it waits for. */
function clockIn(directory: string): string {
  return `#!/bin/sh
[ "$1" = ${HALF_A_MINUTE} ] || exec /bin/sleep "$@"
read -r stat <"/proc/$PPID/stat"
set -- \${stat##*) }
is_late() {
  for child in $(cat "/proc/$1/task/$1/children"); do
    key=$(tr '\\0' '\\n' <"/proc/$child/environ" | sed -n 's/^DAVIT_KEY=//p')
    [ -z "$key" ] || [ ! -e "${directory}/late-$(tr '\\0' '\\n' <"/proc/$child/cmdline" | sed -n 3p)-$key" ] || return 0
  done
  return 1
}
until is_late "$2" || [ ! -e "${directory}" ]; do /bin/sleep 0.02; done
`
}

function mappingOf(target: string, name: string): Mapping {
  return { target: target as TargetName, container: name as ContainerName, service: name as ServiceKey }
}
