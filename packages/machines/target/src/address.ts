import type { ConnectionRequest } from '@davit/connection'
import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import { CLIENT_INTERFACES, type ClientInterfaceKind, type Target, type TargetName } from '@davit/documents'

/** Where a target of an infrastructure is reached, and how. */
export function addressOf(name: TargetName, target: Target): ConnectionRequest {
  const kind = interfaceKindOf(target.clientInterface)
  if (kind === undefined) {
    throw new DavitError(
      'unsupported-interface',
      `target '${name}' wants the client interface '${target.clientInterface}', which this version of davit cannot use`,
      {
        exitStatus: ExitStatus.unreachable,
        hint: suggestionFor(target.clientInterface, CLIENT_INTERFACES.keys()) ?? "say 'ssh' or 'local'",
      },
    )
  }
  if (kind === 'local') return { kind }
  const address = target.properties.get(target.targetProperty)
  if (typeof address !== 'string' || address === '') {
    throw new DavitError(
      'no-address',
      `target '${name}' has no text in its property '${target.targetProperty}', which says how to reach it`,
      {
        exitStatus: ExitStatus.badDocument,
      },
    )
  }
  return { kind, address }
}

/** Which connection a client interface asks for: ours, or that of the original toolset by its name there. */
export function interfaceKindOf(clientInterface: string): ClientInterfaceKind | undefined {
  return CLIENT_INTERFACES.get(clientInterface)
}
