import type { ConnectionRequest } from '@davit/connection'
import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import { CLIENT_INTERFACES, type ClientInterfaceKind, type Target } from '@davit/documents'

/** Returns how to connect to a target of an infrastructure. Callers name the target in front of an error. */
export function addressOf(target: Target): ConnectionRequest {
  const kind = interfaceKindOf(target.clientInterface)
  if (kind === undefined) {
    throw new DavitError(
      'unsupported-interface',
      `this version of davit does not support its client interface '${target.clientInterface}'`,
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
      `it has no address: its property '${target.targetProperty}' must be a non-empty string`,
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
