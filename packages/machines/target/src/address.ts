import type { ConnectionRequest } from '@davit/connection'
import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import { CLIENT_INTERFACES, type ClientInterfaceKind, type Target, type TargetName } from '@davit/documents'

/** Returns how to connect to a target of an infrastructure. */
export function addressOf(name: TargetName, target: Target): ConnectionRequest {
  const kind = interfaceKindOf(target.clientInterface)
  if (kind === undefined) {
    throw new DavitError(
      'unsupported-interface',
      `target '${name}' uses the client interface '${target.clientInterface}', which this version of davit does not support`,
      {
        exitStatus: ExitStatus.unreachable,
        hint: suggestionFor(target.clientInterface, CLIENT_INTERFACES.keys()) ?? "write 'ssh' or 'local'",
      },
    )
  }
  if (kind === 'local') return { kind }
  const address = target.properties.get(target.targetProperty)
  if (typeof address !== 'string' || address === '') {
    throw new DavitError(
      'no-address',
      `target '${name}' has no address: its property '${target.targetProperty}' must be a non-empty string`,
      {
        exitStatus: ExitStatus.badDocument,
      },
    )
  }
  return { kind, address }
}

/** Kind of connection that a client interface names, in davit's spelling or in that of Disnix. */
export function interfaceKindOf(clientInterface: string): ClientInterfaceKind | undefined {
  return CLIENT_INTERFACES.get(clientInterface)
}
