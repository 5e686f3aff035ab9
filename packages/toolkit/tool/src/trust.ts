import type { ConnectionPool, ConnectionRequest } from '@davit/connection'
import { currentGeneration } from '@davit/coordinator-state'
import { DavitError, ExitStatus, quoted } from '@davit/diagnostics'
import type { Infrastructure, Manifest, SecretReference, TargetName } from '@davit/documents'
import { definitionOf, interfaceKindOf, type ModuleReference, reachedBy, referencesIn } from '@davit/target'

import type { StateOwner } from './state-directory.ts'
import { deploymentOf } from './deployment-of.ts'

/**
 * What documents may start on this machine, and whom they may send secrets. Whoever acts on a document means everything that it says. A
 * tool that only looks at one, which may be of somebody else, starts what the current generation uses, and what a person named on its
 * command line.
 */
export type Trust = 'everything' | KnownPrograms

interface KnownPrograms {
  readonly generation: Manifest | undefined
  /** Client executable of the command line. */
  readonly given: string | undefined
}

interface TrustingContext extends StateOwner {
  readonly args: { readonly profile: string; readonly trustPrograms: boolean; readonly interface?: string }
}

/** What a tool that only looks at its documents may start. */
export async function trustToLook(context: TrustingContext): Promise<Trust> {
  if (context.args.trustPrograms) return 'everything'
  // Whoever needs the generation says what is wrong with it.
  const generation = await currentGeneration(deploymentOf(context).place).catch(() => undefined)
  return { generation: generation?.manifest, given: context.args.interface }
}

/** The same for a tool that only looks with `--dry-run`. */
export async function trustUnless(
  context: TrustingContext & { readonly args: { readonly dryRun: boolean } },
): Promise<Trust> {
  return context.args.dryRun ? trustToLook(context) : 'everything'
}

/** Refuses targets that are reached by programs which are not trusted, before anything is started. */
export function refuseStrangePrograms(infrastructure: Infrastructure, trust: Trust): void {
  const strange = [...infrastructure].filter(([, { clientInterface }]) => !isTrusted(clientInterface, trust))
  const [first, ...others] = strange.map(([name, { clientInterface }]) => sentenceFor(name, clientInterface))
  if (first === undefined) return
  throw strangeProgram(
    others.length === 0 ? first : `${strange.length} targets are reached by programs which ${UNUSED}`,
    others.length === 0 ? [] : [first, ...others],
  )
}

const UNUSED = 'the current generation does not use'

function sentenceFor(target: TargetName, program: string): string {
  return `target '${target}' is reached by the program ${quoted(program)}, which ${UNUSED}`
}

function strangeProgram(message: string, problems: readonly string[] = []): DavitError {
  return new DavitError('strange-program', message, {
    exitStatus: ExitStatus.permission,
    diagnostics: problems.map((problem) => ({ severity: 'error', message: problem })),
    hint: 'pass --trust-programs if you trust it',
  })
}

function isTrusted(clientInterface: string, trust: Trust): boolean {
  if (trust === 'everything' || interfaceKindOf(clientInterface) !== undefined) return true
  const used = [...(trust.generation?.infrastructure.values() ?? [])]
  return trust.given === clientInterface || used.some((target) => target.clientInterface === clientInterface)
}

/** Connections that start only programs which are trusted. */
export function trustedPool(pool: ConnectionPool, trust: Trust): ConnectionPool {
  return {
    async connect(request) {
      for (const hop of request) {
        if (hop.kind === 'client' && !isTrusted(hop.executable, trust))
          throw strangeProgram(`it is reached by the program ${quoted(hop.executable)}, which ${UNUSED}`)
      }
      return pool.connect(request)
    },
    close: () => pool.close(),
  }
}

/** Why a secret is not resolved that a document refers to. */
export const STRANGE_SECRET =
  'the current generation does not use it there; pass --trust-programs if you trust this document'

/** Returns which modules of a manifest may be called for services without a record. */
export function callable(trust: Trust): (module: ModuleReference | undefined) => boolean {
  if (trust === 'everything') return () => true
  const { generation } = trust
  const used = new Set(generation?.serviceMappings.map((mapping) => definitionOf(generation, mapping).module))
  return (module) => module !== undefined && used.has(module)
}

/** Refuses to call a module. */
export function strangeModule(service: string, module: string): DavitError {
  return strangeProgram(`'${service}' is called through the module ${quoted(module)}, which ${UNUSED}`)
}

/** References to secrets in manifests that may be resolved: at all, or for the machine that a request reaches. */
export function trustedReferences(
  manifests: readonly Manifest[],
  trust: Trust,
  request?: ConnectionRequest,
): readonly SecretReference[] {
  const all = referencesIn(manifests, request)
  if (trust === 'everything') return all
  const { generation } = trust
  if (generation === undefined) return []
  if (request !== undefined && reachedBy(generation.infrastructure, request).length === 0) return []
  const known = new Set(referencesIn([generation]).map((one) => JSON.stringify(one)))
  return all.filter((one) => !('command' in one) || known.has(JSON.stringify(one)))
}
