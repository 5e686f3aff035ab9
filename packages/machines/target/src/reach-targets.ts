import type { Connection, ConnectionPool, ConnectionRequest } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Infrastructure, Target, TargetName } from '@davit/documents'
import type { Secrets } from '@davit/secrets'
import type { Role } from '@davit/target-runtime'

import { addressOf } from './address.ts'
import { type Machine, type MachineOptions, openMachine } from './machine.ts'
import type { ShellTarget } from './shell-target.ts'

export interface ReachedTargets<R extends Role = 'deploy'> {
  readonly targets: ReadonlyMap<TargetName, ShellTarget<R>>
  readonly unreachable: ReadonlyMap<TargetName, DavitError>
}

export interface ReachOptions<R extends Role> extends Omit<MachineOptions, 'secrets'> {
  readonly role: R
  /** The secrets that a machine may get. */
  readonly secretsOf?: (address: ConnectionRequest) => Secrets | undefined
}

/** Connects to all targets in parallel; targets with the same connection share a helper. An unreachable one does not stop the others. */
export async function reachTargets<R extends Role>(
  infrastructure: Infrastructure,
  pool: ConnectionPool,
  { secretsOf, ...options }: ReachOptions<R>,
): Promise<ReachedTargets<R>> {
  const machines = new Map<Connection, Promise<Machine<R>>>()
  const machineOf = async (address: ConnectionRequest) => {
    const connection = await pool.connect(address)
    const machine =
      machines.get(connection) ??
      openMachine(() => pool.connect(address), { ...options, secrets: secretsOf?.(address) })
    machines.set(connection, machine)
    return machine
  }
  const targets = new Map<TargetName, ShellTarget<R>>()
  const unreachable = new Map<TargetName, DavitError>()
  const reach = async (name: TargetName, target: Target) => {
    try {
      const address = addressOf(target)
      refuseSecond(infrastructure, name, address)
      targets.set(name, { name, machine: await machineOf(address) })
    } catch (error) {
      if (!(error instanceof DavitError)) throw error
      unreachable.set(name, error)
    }
  }
  await Promise.all([...infrastructure].map(([name, target]) => reach(name, target)))
  return { targets: inOrderOf(infrastructure, targets), unreachable: inOrderOf(infrastructure, unreachable) }
}

/** A client executable has one profile of a name for each address, so that two targets would replace the profiles of each other. */
function refuseSecond(infrastructure: Infrastructure, name: TargetName, address: ConnectionRequest): void {
  if (address.kind !== 'client') return
  const isSame = (target: Target) => JSON.stringify(addressOf(target)) === JSON.stringify(address)
  const [first] =
    [...infrastructure].find(([, target]) => target.clientInterface === address.executable && isSame(target)) ?? []
  if (first === undefined || first === name) return
  throw new DavitError('unsupported-interface', `it has the client executable and the address of target '${first}'`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'make them one target',
  })
}

function inOrderOf<Value>(
  infrastructure: Infrastructure,
  table: ReadonlyMap<TargetName, Value>,
): ReadonlyMap<TargetName, Value> {
  return new Map(
    [...infrastructure.keys()].flatMap((name) => (table.has(name) ? [[name, table.get(name) as Value]] : [])),
  )
}
