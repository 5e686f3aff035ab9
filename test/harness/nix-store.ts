import { type Coordinator, succeeded } from './coordinator.ts'
import type { Host } from './hosts.ts'

/** The owner of a Nix store: a host, or the user at the coordinator. */
export type StoreOwner = Host | Coordinator

/** Runs a shell script that sees the store. Returns its output. */
export async function storeShell(owner: StoreOwner, script: string, ...args: readonly string[]): Promise<string> {
  if (!('bash' in owner)) return owner.sh(script, ...args)
  return succeeded(await owner.run(['sh', '-c', script, 'sh', ...args])).stdout
}

/** Returns the paths that a path needs at run time, including itself. */
export async function closureIn(owner: StoreOwner, path: string): Promise<readonly string[]> {
  return linesOf(await storeShell(owner, 'nix-store --query --requisites "$1"', path)).toSorted()
}

/** Returns the invalid ones among the paths. */
export async function invalidIn(owner: StoreOwner, paths: readonly string[]): Promise<readonly string[]> {
  return linesOf(await storeShell(owner, 'nix-store --check-validity --print-invalid "$@"', ...paths))
}

/** Compares all contents with their registrations. */
export async function verifyStore(owner: StoreOwner): Promise<void> {
  await storeShell(owner, 'nix-store --verify --check-contents 2>&1')
}

/** Makes it seem a day later: the paths that a deployment protected for its next steps are no longer protected. */
export async function forgetProtection(owner: StoreOwner): Promise<void> {
  await storeShell(
    owner,
    'bash' in owner ? 'rm /nix/var/nix/gcroots/davit/temporary:*' : 'rm -r /var/lib/davit/protected',
  )
}

export const collectGarbage = (owner: StoreOwner) => storeShell(owner, 'nix-store --gc 2>&1')

/** Adds a file that nothing needs, so that there is garbage to collect. */
export async function addGarbage(owner: StoreOwner): Promise<string> {
  return (
    await storeShell(owner, 'cd "$(mktemp -d)" && echo rubbish > rubbish && nix-store --add rubbish && rm -r "$PWD"')
  ).trim()
}

/** Simulates a loss of data: removes the paths, and everything that refers to them, without a trace. */
export async function losePaths(owner: StoreOwner, paths: readonly string[]): Promise<void> {
  const script =
    'nix-store --delete --ignore-liveness $(nix-store --query --referrers-closure "$@") >/tmp/lost 2>&1 || { cat /tmp/lost >&2; exit 1; }'
  await storeShell(owner, script, ...paths)
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
