import { createHash } from 'node:crypto'
import type { StorePath, System } from '@davit/documents'
import { storePathOf } from './store-path.ts'

/** How an output is built: everything that a build may use, by store path. */
export interface Derivation {
  readonly name: string
  readonly system: System
  readonly script: string
  readonly environment: ReadonlyMap<string, string>
  /** Paths by variable. */
  readonly sources: ReadonlyMap<string, StorePath>
  readonly inputs: ReadonlyMap<string, DerivationInput>
  readonly network: boolean
  readonly timeLimitSeconds?: number
  readonly sizeLimitBytes?: number
  /** Content of the file that `$parametersFile` names. */
  readonly parameters?: string
}

export interface DerivationInput {
  readonly output: StorePath
  /** Absent for an input that is not built. */
  readonly derivation?: StorePath
}

/** Encodes a derivation; the same derivation gives the same bytes. */
export function encodeDerivation(derivation: Derivation): string {
  const { timeLimitSeconds, sizeLimitBytes, inputs } = derivation
  const fields = {
    document: 'derivation',
    version: 1,
    ...buildFields(derivation),
    inputs: record(inputs),
    timeLimitSeconds,
    sizeLimitBytes,
  }
  return `${JSON.stringify(fields)}\n`
}

/**
 * Path of the output. It depends on the outputs of inputs but not on their derivations, and not on limits, so that only
 * what can change the output changes its path.
 */
export function outputPathOf(storeDirectory: string, derivation: Derivation): StorePath {
  const outputs = new Map([...derivation.inputs].map(([variable, { output }]) => [variable, output]))
  const identity = JSON.stringify({ version: 1, ...buildFields(derivation), inputs: record(outputs) })
  const digest = createHash('sha256').update(identity).digest('hex')
  return storePathOf(storeDirectory, { kind: 'output', name: derivation.name, digest })
}

export function derivationPathOf(storeDirectory: string, name: string, text: string): StorePath {
  const digest = createHash('sha256').update(text).digest('hex')
  return storePathOf(storeDirectory, { kind: 'derivation', name: `${name}.drv`, digest })
}

/** What must be valid before the derivation can be built. */
export function derivationReferences(derivation: Derivation): readonly StorePath[] {
  const inputs = [...derivation.inputs.values()].map(({ output, derivation: path }) => path ?? output)
  return [...new Set([...derivation.sources.values(), ...inputs])].toSorted()
}

/** Parses a text whose path has been checked, so that it is one of `encodeDerivation`. */
export function parseDerivation(text: string): Derivation {
  const fields = JSON.parse(text) as DerivationFields
  const { name, system, script, network, timeLimitSeconds, sizeLimitBytes, parameters } = fields
  return {
    name,
    system,
    script,
    network,
    environment: new Map(Object.entries(fields.environment)),
    sources: new Map(Object.entries(fields.sources)),
    inputs: new Map(Object.entries(fields.inputs)),
    ...(timeLimitSeconds === undefined ? {} : { timeLimitSeconds }),
    ...(sizeLimitBytes === undefined ? {} : { sizeLimitBytes }),
    ...(parameters === undefined ? {} : { parameters }),
  }
}

type DerivationFields = Omit<Derivation, 'environment' | 'sources' | 'inputs'> & {
  readonly environment: Readonly<Record<string, string>>
  readonly sources: Readonly<Record<string, StorePath>>
  readonly inputs: Readonly<Record<string, DerivationInput>>
}

function buildFields({ name, system, script, environment, sources, network, parameters }: Derivation) {
  return { name, system, script, environment: record(environment), sources: record(sources), network, parameters }
}

function record<Value>(map: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries([...map].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
