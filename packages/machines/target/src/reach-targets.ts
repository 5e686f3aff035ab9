import type { Connection, ConnectionPool, ConnectionRequest } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Infrastructure, TargetName } from '@davit/documents'
import type { Secrets } from '@davit/secrets'
import type { Role } from '@davit/target-runtime'

import { type Machine, type MachineOptions, openMachine } from './machine.ts'
import { reachedBy } from './records/references.ts'
import { requestFor } from './request-for.ts'
import type { ShellTarget } from './shell-target.ts'

export interface ReachedTargets<R extends Role = 'deploy'> {
  readonly targets: ReadonlyMap<TargetName, ShellTarget<R>>
  readonly unreachable: ReadonlyMap<TargetName, DavitError>
}

export interface ReachOptions<R extends Role> extends Omit<MachineOptions, 'secrets'> {
  readonly role: R
  /** The secrets that a machine may get. */
  readonly secretsOf?: (request: ConnectionRequest) => Secrets | undefined
}

/** Connects to all targets in parallel; targets with the same connection share a helper. An unreachable one does not stop the others. */
export async function reachTargets<R extends Role>(
  infrastructure: Infrastructure,
  pool: ConnectionPool,
  { secretsOf, ...options }: ReachOptions<R>,
): Promise<ReachedTargets<R>> {
  const machines = new Map<Connection, Promise<Machine<R>>>()
  const machineOf = async (request: ConnectionRequest) => {
    const connection = await pool.connect(request)
    const machine =
      machines.get(connection) ??
      openMachine(() => pool.connect(request), { ...options, secrets: secretsOf?.(request) })
    machines.set(connection, machine)
    return machine
  }
  const targets = new Map<TargetName, ShellTarget<R>>()
  const unreachable = new Map<TargetName, DavitError>()
  const reach = async (name: TargetName) => {
    try {
      const request = requestFor(infrastructure, name)
      refuseSecond(infrastructure, name, request)
      targets.set(name, { name, machine: await machineOf(request) })
    } catch (error) {
      if (!(error instanceof DavitError)) throw error
      unreachable.set(name, error)
    }
  }
  await Promise.all([...infrastructure.keys()].map(reach))
  return { targets: inOrderOf(infrastructure, targets), unreachable: inOrderOf(infrastructure, unreachable) }
}

/** A client executable has one profile of a name for each address, so that two targets would replace the profiles of each other. */
function refuseSecond(infrastructure: Infrastructure, name: TargetName, request: ConnectionRequest): void {
  if (request.at(-1)?.kind !== 'client') return
  const [first] = reachedBy(infrastructure, request)
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
