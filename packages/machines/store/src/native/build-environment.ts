import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { STANDARD_PATH } from '../build-path.ts'
import type { Derivation } from './derivation.ts'
import type { BuildPlace } from './build-place.ts'

const SCRIPT_FILE = 'script'
const PARAMETERS_FILE = 'parameters.json'

/** The whole environment of a build. */
export function buildEnvironment(
  derivation: Derivation,
  output: StorePath,
  { buildDirectory, filesDirectory }: Pick<BuildPlace, 'buildDirectory' | 'filesDirectory'>,
): Readonly<Record<string, string>> {
  const inputs = [...derivation.inputs].map(([variable, input]) => [variable, input.output] as const)
  return {
    LC_ALL: 'C',
    SOURCE_DATE_EPOCH: '1',
    ...Object.fromEntries(derivation.environment),
    ...Object.fromEntries(derivation.sources),
    ...Object.fromEntries(inputs),
    PATH: [...inputs.map(([, path]) => join(path, 'bin')), STANDARD_PATH].join(':'),
    HOME: buildDirectory,
    TMPDIR: buildDirectory,
    DAVIT_SYSTEM: derivation.system,
    DAVIT_CORES: String(availableParallelism()),
    out: output,
    ...(derivation.parameters === undefined ? {} : { parametersFile: join(filesDirectory, PARAMETERS_FILE) }),
  }
}

/** Contents of a build's directory `files`, by name. */
export function buildFiles({ script, parameters }: Derivation): ReadonlyMap<string, string> {
  return new Map([[SCRIPT_FILE, script], ...(parameters === undefined ? [] : [[PARAMETERS_FILE, parameters] as const])])
}

/** Variables that the author of the script named or requested. */
export function variablesOf({ environment, sources, inputs, parameters }: Derivation): readonly string[] {
  const named = [...environment.keys(), ...sources.keys(), ...inputs.keys()]
  return parameters === undefined ? named : [...named, 'parametersFile']
}

/** Command that runs the script. */
export function buildShell({ filesDirectory }: Pick<BuildPlace, 'filesDirectory'>): readonly string[] {
  return ['/bin/sh', '-eu', join(filesDirectory, SCRIPT_FILE)]
}
