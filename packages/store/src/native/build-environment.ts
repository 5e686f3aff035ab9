import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import type { Derivation } from './derivation.ts'
import type { BuildPlace } from './isolation.ts'

/** Variables that the store sets, which a package therefore cannot use for itself. */
const RESERVED = /^(out|PATH|HOME|TMPDIR|PWD|OLDPWD|IFS|ENV|SHLVL|parametersFile|LD_.*|DAVIT_.*)$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const STANDARD_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export const SCRIPT_FILE = 'script'
export const PARAMETERS_FILE = 'parameters.json'

/** Why a package cannot have a variable of this name; nothing if it can. */
export function variableProblem(name: string): string | undefined {
  if (!VARIABLE.test(name)) return `'${name}' is not the name of a shell variable`
  return RESERVED.test(name) ? `the variable '${name}' is set by davit itself` : undefined
}

/** The whole environment of a build. */
export function buildEnvironment(
  derivation: Derivation,
  output: StorePath,
  { buildDirectory, filesDirectory }: BuildPlace,
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
