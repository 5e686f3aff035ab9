import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { BuildSpec } from '@davit/documents'
import { checkPackageName } from './package-name.ts'

/** Variables that the store sets, so that a package cannot. */
const RESERVED = /^(out|PATH|HOME|TMPDIR|PWD|OLDPWD|IFS|ENV|SHLVL|parametersFile|LD_.*|DAVIT_.*)$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
/** The kernel's limit for `name=value`. */
const MAX_VARIABLE_BYTES = 131_071

/** Refuses a build whose name or variables no store can use. */
export function checkBuild(spec: BuildSpec): void {
  checkPackageName(spec.name, { suffix: '.drv' })
  checkVariables(spec)
}

function checkVariables({ name, env, sources, inputs }: BuildSpec): void {
  const seen = new Set<string>()
  for (const variable of [...env.keys(), ...sources.keys(), ...inputs.keys()]) {
    const problem = variableProblem(variable)
    if (problem !== undefined) throw badVariable(name, problem)
    if (seen.has(variable)) throw badVariable(name, `'${variable}' is set more than once in env, sources and inputs`)
    seen.add(variable)
  }
  for (const [variable, value] of env) {
    if (value.includes('\0')) throw badVariable(name, `the value of '${variable}' contains a NUL character`)
    if (Buffer.byteLength(`${variable}=${value}`) > MAX_VARIABLE_BYTES) {
      throw badVariable(name, `the value of '${variable}' is longer than ${MAX_VARIABLE_BYTES} bytes`)
    }
  }
}

/** Returns why a package cannot have a variable of this name; nothing if it can. */
function variableProblem(name: string): string | undefined {
  if (!VARIABLE.test(name)) return `'${name}' is not the name of a shell variable`
  return RESERVED.test(name) ? `the variable '${name}' is set by davit itself` : undefined
}

function badVariable(name: string, problem: string): DavitError {
  return new DavitError('bad-variable', `cannot build '${name}': ${problem}`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'change this variable in the package',
  })
}
