import { hasCode } from '@davit/diagnostics'
import type { ExpressionProgram, InstantiatedPackage, StorePath } from '@davit/documents'
import { evaluate, isStorePath } from '@davit/nix'
import type { NixContext } from './nix-context.ts'
import { protectByReference } from './roots.ts'

/** Runs a program that returns packages, and protects their derivations. */
export async function evaluatePackages(
  context: NixContext,
  program: ExpressionProgram,
  count: number,
): Promise<readonly InstantiatedPackage[]> {
  try {
    return await evaluateOnce(context, program, count)
  } catch (error) {
    // Garbage may be collected between an evaluation and the protection of its result.
    if (!hasCode(error, 'cannot-add-root')) throw error
    return evaluateOnce(context, program, count)
  }
}

async function evaluateOnce(
  context: NixContext,
  program: ExpressionProgram,
  count: number,
): Promise<readonly InstantiatedPackage[]> {
  const result = await evaluate({ program, store: 'read-write', environment: context.environment })
  if (!isPackages(result) || result.packages.length !== count) throw new Error(`unexpected result of ${program.file}`)
  await protectByReference(context, result.roots)
  return result.packages.map(({ out, drv }) => (drv === null ? { outPath: out } : { outPath: out, derivation: drv }))
}

interface EvaluatedPackages {
  readonly packages: readonly { readonly out: StorePath; readonly drv: StorePath | null }[]
  readonly roots: StorePath
}

function isPackages(value: unknown): value is EvaluatedPackages {
  if (typeof value !== 'object' || value === null) return false
  const { packages, roots } = value as Partial<EvaluatedPackages>
  if (typeof roots !== 'string' || !isStorePath(roots) || !Array.isArray(packages)) return false
  return (packages as EvaluatedPackages['packages']).every(({ out, drv }) => {
    return isStorePath(out) && (drv === null || isStorePath(drv))
  })
}
