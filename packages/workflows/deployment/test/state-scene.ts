import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openLocal } from '@davit/connection'
import type { Manifest } from '@davit/documents'
import { NO_SECRETS, type Secrets } from '@davit/secrets'
import type { StateMachines } from '@davit/state-runner'
import { type Machine, openMachine, type ShellTarget } from '@davit/target'

import { applyManifest } from '../src/apply-manifest.ts'
import { planFor } from '../src/plan-for.ts'
import { Machines, type ServiceSpec } from './testing.ts'

/** Targets with a machine each; `db` keeps its state in a file for each target, `app` depends on it. */
export class StatefulMachines extends Machines {
  targets: readonly ShellTarget[] = []
  /** What the machines get. */
  secrets: Secrets = NO_SECRETS
  readonly #opened: Machine<'state'>[] = []
  readonly #given: Secrets = {
    resolve: (reference) => this.secrets.resolve(reference),
    trust: (references) => this.secrets.trust(references),
    limitedTo: (references) => this.secrets.limitedTo(references),
    redact: (text) => this.secrets.redact(text),
    redactTail: (text, limit) => this.secrets.redactTail(text, limit),
  }

  static async open(): Promise<StatefulMachines> {
    const machines = new StatefulMachines()
    const module = join(machines.directory, 'modules/module')
    writeFileSync(module, moduleIn(machines.directory))
    chmodSync(module, 0o755)
    machines.declare([])
    const opening = ['t1', 't2', 't3'].map((name) => machines.target(name, name, machines.#given))
    machines.targets = await Promise.all(opening)
    return machines
  }

  override async close(): Promise<void> {
    for (const machine of this.#opened) machine.close()
    await super.close()
  }

  declare(more: readonly string[], without: readonly string[] = []): void {
    const all = ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage', ...more]
    const names = all.filter((name) => !without.includes(name))
    writeFileSync(join(this.directory, 'modules/module.activities'), names.map((name) => `${name}\n`).join(''))
  }

  state(target: string): string {
    return join(this.directory, `state-${target}`)
  }

  read(target: string): string {
    return readFileSync(this.state(target), 'utf8')
  }

  fail(what: string): void {
    writeFileSync(join(this.directory, `fail-${what}`), '')
  }

  /** Values of the property `password` that the module got, in the order of its calls, with the activities. */
  passwords(): readonly string[] {
    const file = join(this.directory, 'passwords')
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  }

  /** The database is on a target, and what depends on it on `t3`. */
  systemOn(target: string, properties: ServiceSpec['properties'] = {}): Manifest {
    const spec = { t1: {}, t2: {}, t3: { app: { dependsOn: ['db'] } } }
    const manifest = this.manifest({ ...spec, [target]: { db: { properties }, ...(target === 't3' ? spec.t3 : {}) } })
    const mapping = manifest.serviceMappings.find(({ service }) => service === 'db')
    const stateful = mapping === undefined ? [] : [{ ...mapping, component: 'db' }]
    return { ...withKey(manifest, 'app', `app-${target}`), snapshotMappings: stateful }
  }

  stateMachines(): StateMachines {
    const open = async (name: string) => {
      const environment = { PATH: '/usr/bin:/bin', HOME: this.directory, DAVIT_STATE_DIR: join(this.directory, name) }
      const options = { role: 'state', secrets: this.#given } as const
      const machine = await openMachine(async () => openLocal({ environment }), options)
      this.#opened.push(machine)
      return machine
    }
    return { on: ({ name }) => open(name), here: () => open('here') }
  }

  /** Runs until an activity fails, and undoes nothing, as if the run had been killed. */
  async deployUntil(what: string, next: Manifest, previous: Manifest): Promise<void> {
    this.fail(what)
    const lost = new AbortController().signal
    const terms = { ...this.terms({ previous }), ...this.planned(), token: '-', lost, rollback: 'keep' } as const
    const plan = await planFor(next, this.targets, terms)
    const { kind } = await applyManifest(next, plan, terms)
    if (kind !== 'failed') throw new Error(`the run has ${kind}, although '${what}' was to fail`)
    rmSync(join(this.directory, `fail-${what}`))
  }

  planned(migration: 'move' | 'none' | 'move-and-restore' = 'move') {
    return { state: { migration, directory: join(this.directory, 'here') }, machines: this.stateMachines() }
  }
}

function moduleIn(directory: string): string {
  return `#!/bin/sh
D='${directory}' name=\${2##*-}
echo "$1 $name on $DAVIT_TARGET" >>"$D/log"
[ -z "$password" ] || echo "$1 on $DAVIT_TARGET: $password" >>"$D/passwords"
state=$D/state-$DAVIT_TARGET
[ ! -e "$D/fail-$1-$name-$DAVIT_TARGET" ] || { echo "cannot $1" >&2; exit 3; }
[ "$name" = db ] || exit 0
case $1 in
  status) [ -e "$D/up-$DAVIT_TARGET" ] ;;
  activate) [ -e "$state" ] || echo fresh >"$state"; : >"$D/up-$DAVIT_TARGET" ;;
  deactivate) rm -f "$D/up-$DAVIT_TARGET" ;;
  snapshot) [ ! -e "$state" ] || cp "$state" "$DAVIT_SNAPSHOT/dump" ;;
  restore) cp "$DAVIT_SNAPSHOT/dump" "$state" ;;
  collect-garbage) rm -f "$state" ;;
esac
`
}

/** Gives a service another key, as it has whenever a dependency moves. */
function withKey(manifest: Manifest, name: string, key: string): Manifest {
  const services = [...manifest.services].map(([old, service]) => [old === name ? key : old, service])
  const serviceMappings = manifest.serviceMappings.map((one) => ({
    ...one,
    service: one.service === name ? key : one.service,
  }))
  return { ...manifest, services: new Map(services as never), serviceMappings: serviceMappings as never }
}
