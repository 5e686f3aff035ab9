import { suggestionFor } from '@davit/diagnostics'

export type ClientInterfaceKind = 'ssh' | 'local'

/** Client interfaces that davit supports: its own, those of the original toolset under their names there, and the executables that serve these. */
export const CLIENT_INTERFACES: ReadonlyMap<string, ClientInterfaceKind> = new Map([
  ['ssh', 'ssh'],
  ['davit-client', 'ssh'],
  ['disnix-ssh-client', 'ssh'],
  ['local', 'local'],
  ['davit-run-activity', 'local'],
  ['disnix-run-activity', 'local'],
])

/** Programs that the original toolset can start, for what davit calls `ssh` and `local`: its own ones, or those of davit. */
const PROGRAMS: readonly Readonly<Record<ClientInterfaceKind, string>>[] = [
  { ssh: 'disnix-ssh-client', local: 'disnix-run-activity' },
  { ssh: 'davit-client', local: 'davit-run-activity' },
]

/**
 * How a target is reached, in the words of whom a document is for. The original toolset starts every client interface as a program: where
 * the interface given by default is one of its own, or one of davit's that stand for them, no target says `ssh` or `local`.
 */
export function clientInterfaceFor(own: string | undefined, given: string): string {
  if (own === undefined) return given
  const programs = PROGRAMS.find(({ ssh, local }) => given === ssh || given === local)
  return programs !== undefined && (own === 'ssh' || own === 'local') ? programs[own] : own
}

/** Whether a client interface is an executable of the user: a path, or the name of a program that ends in `-client`. */
export function isClientExecutable(text: string): boolean {
  return !CLIENT_INTERFACES.has(text) && (text.includes('/') || text.endsWith('-client'))
}

/** Returns a problem for an unknown name; undefined for a known one and for a client executable. */
export function clientInterfaceProblem(text: string): { readonly message: string; readonly hint: string } | undefined {
  if (CLIENT_INTERFACES.has(text) || isClientExecutable(text)) return undefined
  const hint =
    suggestionFor(text, CLIENT_INTERFACES.keys()) ??
    "write 'ssh', 'local', the path of a client executable, or its name on PATH, which ends in '-client'"
  return { message: `there is no client interface '${text}'`, hint }
}
