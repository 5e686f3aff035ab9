import { type ConnectionRequest, HERE, requestKey } from '@davit/connection'
import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import {
  CLIENT_INTERFACES,
  type ClientInterfaceKind,
  type Infrastructure,
  isClientExecutable,
  type Target,
  type TargetName,
} from '@davit/documents'

/** Returns how to connect to a target of an infrastructure. Callers name the target in front of an error. */
export function requestFor(infrastructure: Infrastructure, name: TargetName): ConnectionRequest {
  const target = infrastructure.get(name)
  if (target === undefined) throw new RangeError(`'${name}' is none of the targets`)
  const { clientInterface } = target
  const kind = interfaceKindOf(clientInterface)
  if (kind === 'local') return HERE
  if (kind === undefined && !isExecutable(clientInterface)) throw unsupported(clientInterface)
  const address = target.properties.get(target.targetProperty)
  if (typeof address !== 'string' || address === '') {
    throw new DavitError(
      'no-address',
      `it has no address: its property '${target.targetProperty}' must be a non-empty string`,
      {
        exitStatus: ExitStatus.badDocument,
      },
    )
  }
  return [kind === 'ssh' ? { kind, address } : { kind: 'client', executable: clientInterface, address }]
}

/** Key of that request: targets with the same key share a connection. Undefined for a target that cannot be connected to. */
export function requestKeyFor(infrastructure: Infrastructure, name: TargetName): string | undefined {
  try {
    return requestKey(requestFor(infrastructure, name))
  } catch (error) {
    if (error instanceof DavitError) return undefined
    throw error
  }
}

/** Whether a target has the store and the state of this machine: it is this machine, with no hop in between. */
export function isHere({ clientInterface }: Pick<Target, 'clientInterface'>): boolean {
  return interfaceKindOf(clientInterface) === 'local'
}

function isExecutable(clientInterface: string): boolean {
  return isClientExecutable(clientInterface) && (clientInterface.startsWith('/') || !clientInterface.includes('/'))
}

function unsupported(clientInterface: string): DavitError {
  const hint = clientInterface.includes('/')
    ? 'write the absolute path of the client executable'
    : "write 'ssh', 'local', or the path of a client executable"
  return new DavitError('unsupported-interface', `there is no client interface '${clientInterface}'`, {
    exitStatus: ExitStatus.unreachable,
    hint: suggestionFor(clientInterface, CLIENT_INTERFACES.keys()) ?? hint,
  })
}

/** Kind of connection that a client interface names, in davit's spelling or in that of Disnix; undefined for an executable. */
export function interfaceKindOf(clientInterface: string): ClientInterfaceKind | undefined {
  return CLIENT_INTERFACES.get(clientInterface)
}
