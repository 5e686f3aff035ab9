import type { BuildSpec, InstantiatedPackage, PackageSpec, StorePath, System } from '@davit/documents'
import { checkBuild } from '../check-build.ts'
import type { Derivation, DerivationInput } from './derivation.ts'

export interface DerivationMaking {
  readonly system: System
  source(path: string): Promise<StorePath>
  input(spec: PackageSpec): Promise<InstantiatedPackage>
}

/** Makes the derivation of a build; everything that the build uses is in the store, or about to be. */
export async function derivationOf(spec: BuildSpec, making: DerivationMaking): Promise<Derivation> {
  const { name, script, network, timeLimitSeconds, sizeLimitBytes, parameters } = spec
  checkBuild(spec)
  const sources = new Map<string, StorePath>()
  for (const [variable, path] of spec.sources) sources.set(variable, await making.source(path))
  const inputs = new Map<string, DerivationInput>()
  for (const [variable, input] of spec.inputs) {
    const { outPath, derivation } = await making.input(input)
    inputs.set(variable, { output: outPath, ...(derivation === undefined ? {} : { derivation }) })
  }
  return {
    name,
    system: making.system,
    script,
    environment: spec.env,
    sources,
    inputs,
    network,
    ...(timeLimitSeconds === undefined ? {} : { timeLimitSeconds }),
    ...(sizeLimitBytes === undefined ? {} : { sizeLimitBytes }),
    ...(parameters === undefined ? {} : { parameters }),
  }
}
