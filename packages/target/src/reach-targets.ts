import type { Connection, ConnectionPool, ConnectionRequest } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Infrastructure, Target, TargetName } from '@davit/documents'

import { type Machine, openMachine } from './machine.ts'
import type { ShellTarget } from './shell-target.ts'

export interface ReachedTargets {
  readonly targets: ReadonlyMap<TargetName, ShellTarget>
  readonly unreachable: ReadonlyMap<TargetName, DavitError>
}

/** Connects to all targets at once; those that share a connection share the helper. One that cannot be reached does not stop the others. */
export async function reachTargets(infrastructure: Infrastructure, pool: ConnectionPool): Promise<ReachedTargets> {
  const machines = new Map<Connection, Promise<Machine>>()
  const targets = new Map<TargetName, ShellTarget>()
  const unreachable = new Map<TargetName, DavitError>()
  const reach = async (name: TargetName, target: Target) => {
    try {
      targets.set(name, { name, machine: await machineOf(addressOf(name, target), pool, machines) })
    } catch (error) {
      if (!(error instanceof DavitError)) throw error
      unreachable.set(name, error)
    }
  }
  await Promise.all([...infrastructure].map(([name, target]) => reach(name, target)))
  return { targets: inOrderOf(infrastructure, targets), unreachable: inOrderOf(infrastructure, unreachable) }
}

async function machineOf(address: ConnectionRequest, pool: ConnectionPool, machines: Map<Connection, Promise<Machine>>): Promise<Machine> {
  const connection = await pool.connect(address)
  const known = machines.get(connection)
  if (known !== undefined) return known
  const machine = openMachine(() => pool.connect(address))
  machines.set(connection, machine)
  return machine
}

const KINDS: ReadonlyMap<string, 'ssh' | 'local'> = new Map([
  ['ssh', 'ssh'],
  ['disnix-ssh-client', 'ssh'],
  ['local', 'local'],
  ['disnix-run-activity', 'local'],
])

function addressOf(name: TargetName, target: Target): ConnectionRequest {
  const kind = KINDS.get(target.clientInterface)
  if (kind === undefined) {
    throw new DavitError('unsupported-interface', `target '${name}' wants the client interface '${target.clientInterface}', which this version of davit cannot use`, {
      exitStatus: ExitStatus.unreachable,
      hint: `say 'ssh' or 'local'`,
    })
  }
  if (kind === 'local') return { kind }
  const address = target.properties.get(target.targetProperty)
  if (typeof address !== 'string' || address === '') {
    throw new DavitError('no-address', `target '${name}' has no text in its property '${target.targetProperty}', which says how to reach it`, {
      exitStatus: ExitStatus.badDocument,
    })
  }
  return { kind, address }
}

function inOrderOf<Value>(infrastructure: Infrastructure, table: ReadonlyMap<TargetName, Value>): ReadonlyMap<TargetName, Value> {
  return new Map([...infrastructure.keys()].flatMap((name) => (table.has(name) ? [[name, table.get(name) as Value]] : [])))
}
