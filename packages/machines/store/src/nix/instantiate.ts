import type { Diagnostic } from '@davit/diagnostics'
import type { ExpressionProgram, InstantiatedPackage, PackageRequest } from '@davit/documents'
import { packagesProgram } from '@davit/nix'
import type { Environment } from '@davit/process'
import { badPackages, problemOf } from '../package-problems.ts'
import { evaluatePackages } from './evaluate-packages.ts'
import type { NixContext } from './nix-context.ts'
import { plainPackages } from './plain-packages.ts'

/** Copies sources and writes derivations, with one evaluation for each program; builds nothing. */
export async function instantiate(
  context: NixContext,
  requests: readonly PackageRequest[],
): Promise<readonly InstantiatedPackage[]> {
  const plain = collectPlain(requests, context.environment)
  const packages = new Map<PackageRequest, InstantiatedPackage>()
  for (const [program, wanted] of programsOf(requests)) {
    const made = await evaluatePackages(context, program, wanted.length)
    for (const [index, request] of wanted.entries()) packages.set(request, made[index] as InstantiatedPackage)
  }
  if (plain.list.length > 0) {
    const made = await evaluatePackages(context, packagesProgram(plain.list), plain.list.length)
    for (const [request, index] of plain.indexes) packages.set(request, made[index] as InstantiatedPackage)
  }
  return requests.map((request) => packages.get(request) as InstantiatedPackage)
}

/** Groups packages by program; each program gets the selections of all its packages. */
function programsOf(requests: readonly PackageRequest[]): ReadonlyMap<ExpressionProgram, readonly PackageRequest[]> {
  const groups = new Map<ExpressionProgram, { readonly wanted: PackageRequest[]; readonly selections: unknown[] }>()
  for (const request of requests) {
    const { spec } = request
    if (spec.kind !== 'expression') continue
    const group = groups.get(spec.program) ?? { wanted: [], selections: [] }
    groups.set(spec.program, group)
    group.wanted.push(request)
    group.selections.push(spec.selection)
  }
  return new Map(
    [...groups].map(([program, { wanted, selections }]) => {
      return [{ ...program, input: { ...program.input, selections } }, wanted]
    }),
  )
}

function collectPlain(requests: readonly PackageRequest[], environment: Environment) {
  const plain = plainPackages(environment)
  const indexes = new Map<PackageRequest, number>()
  const problems: Diagnostic[] = []
  for (const request of requests) {
    if (request.spec.kind === 'expression') continue
    try {
      indexes.set(request, plain.add(request.spec, request.system))
    } catch (error) {
      problems.push(problemOf(request, error))
    }
  }
  if (problems.length > 0) throw badPackages(problems)
  return { list: plain.list(), indexes }
}
