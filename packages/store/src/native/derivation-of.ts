import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { BuildSpec, InstantiatedPackage, PackageSpec, StorePath, System } from '@davit/documents'
import { badName } from './add-source.ts'
import { variableProblem } from './build-environment.ts'
import type { Derivation, DerivationInput } from './derivation.ts'
import { isPackageName } from './store-path.ts'

export interface DerivationMaking {
  readonly system: System
  source(path: string): Promise<StorePath>
  input(spec: PackageSpec): Promise<InstantiatedPackage>
}

/** The kernel's limit for `name=value`. */
const MAX_VARIABLE_BYTES = 131_071

/** A build with everything it uses in the store, or going there. */
export async function derivationOf(spec: BuildSpec, making: DerivationMaking): Promise<Derivation> {
  const { name, script, network, timeLimitSeconds, parameters } = spec
  // Room for '.drv' in the name of the derivation.
  if (!isPackageName(`${name}.drv`)) throw badName(name)
  checkVariables(spec)
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
    ...(parameters === undefined ? {} : { parameters }),
  }
}

function checkVariables({ name, env, sources, inputs }: BuildSpec): void {
  const seen = new Set<string>()
  for (const variable of [...env.keys(), ...sources.keys(), ...inputs.keys()]) {
    const problem = variableProblem(variable)
    if (problem !== undefined) throw badVariable(name, problem)
    if (seen.has(variable)) throw badVariable(name, `'${variable}' is given twice, in env, sources or inputs`)
    seen.add(variable)
  }
  for (const [variable, value] of env) {
    if (value.includes('\0')) throw badVariable(name, `the value of '${variable}' contains a NUL character`)
    if (Buffer.byteLength(`${variable}=${value}`) > MAX_VARIABLE_BYTES) {
      throw badVariable(name, `the value of '${variable}' is longer than ${MAX_VARIABLE_BYTES} bytes`)
    }
  }
}

function badVariable(name: string, problem: string): DavitError {
  return new DavitError('bad-variable', `cannot build '${name}': ${problem}`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'choose another variable in the package',
  })
}
