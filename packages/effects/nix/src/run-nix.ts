import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import {
  type Command,
  type CommandResult,
  type Environment,
  runCommand,
  type RunningCommand,
  startCommand,
} from '@davit/process'

export type NixCommand = Omit<Command, 'env'> & { readonly environment: Environment }

/** Like `runCommand`, for a program of Nix. */
export function runNix({ environment, ...command }: NixCommand): Promise<CommandResult> {
  return withNixInstalled(() => runCommand({ ...command, env: environment, descriptors: 'keep' }))
}

/** Like `startCommand`, for a program of Nix. */
export function startNix({ environment, ...command }: NixCommand): Promise<RunningCommand> {
  return withNixInstalled(() => startCommand({ ...command, env: environment }))
}

async function withNixInstalled<Result>(use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (cause) {
    if (!hasCode(cause, 'program-not-found')) throw cause
    throw new DavitError('nix-not-found', `Nix is not installed on this machine: ${cause.message}`, {
      exitStatus: ExitStatus.unreachable,
      hint: 'install Nix (nix-bin in Debian) or add its directory to PATH; models in other languages need no Nix with --store native',
      cause,
    })
  }
}
