import { type Path, quoted } from '@davit/diagnostics'
import { type Properties, propertyText, type PropertyValue, secretProblems } from '@davit/documents'
import { NOT_XML } from '@davit/languages'
import type { Findings } from './findings.ts'

type Errors = Pick<Findings, 'error'>

/** The kernel's limit for one string of an environment, without the terminating zero byte. */
const MAX_VARIABLE_BYTES = 131_071
const SHELL_IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Names that would not reach modules, or not with the value of the property, and the reason. */
const RESERVED: readonly (readonly [name: RegExp, why: string])[] = [
  [/^(?:PATH|IFS|LD_.*)$/, 'PATH, IFS and LD_* would change how modules run'],
  [
    /^(?:DAVIT_.*|DYSNOMIA_STATEDIR)$/,
    'davit sets DAVIT_* and DYSNOMIA_STATEDIR for modules itself: choose another name',
  ],
  [
    // Each of these arrived with another value, or not at all, in a module for dash, bash or busybox.
    /^(?:_|BASH|BASHOPTS|BASHPID|BASH_.*|COMP_WORDBREAKS|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|OLDPWD|OPTERR|OPTIND|PIPESTATUS|POSIXLY_CORRECT|PPID|PS[124]|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID)$/,
    'shells set it themselves, so modules would see another value: choose another name',
  ],
]

/** Checks that every name and text of free-form properties can be written as XML 1.0. */
export function checkProperties(properties: Properties, path: Path, findings: Errors): void {
  for (const [name, value] of properties) {
    const place = [...path, name]
    checkText(name, { what: `the name of property ${quoted(name)}`, path: place, findings })
    checkValue(value, { what: `property ${quoted(name)}`, path: place, findings })
  }
}

/** Returns what is wrong with properties of a container; modules could not get them. */
export function problemsOfContainer(properties: Properties): readonly string[] {
  const problems: string[] = []
  checkContainerProperties(properties, [], { error: (_, message) => void problems.push(message) })
  return problems
}

/** Returns what is wrong with properties of a target; documents could not contain them. */
export function problemsOfProperties(properties: Properties): readonly string[] {
  const problems: string[] = []
  checkProperties(properties, [], { error: (_, message) => void problems.push(message) })
  return problems
}

/** Checks properties that modules get in their environment. */
export function checkContainerProperties(properties: Properties, path: Path, findings: Errors): void {
  checkProperties(properties, path, findings)
  for (const problem of secretProblems(properties, path)) findings.error(problem.path, problem.message, problem.hint)
  for (const [name, value] of properties) {
    checkVariableName(name, [...path, name], findings)
    if (Buffer.byteLength(`${name}=${propertyText(value)}`) > MAX_VARIABLE_BYTES) {
      findings.error(
        [...path, name],
        `property ${quoted(name)} is too long: name=value may have at most ${MAX_VARIABLE_BYTES} bytes`,
        'put it into a file of a package and pass its path',
      )
    }
  }
}

function checkVariableName(name: string, path: Path, findings: Errors): void {
  if (!SHELL_IDENTIFIER.test(name)) {
    const hint = 'modules receive it as a variable: use letters, digits and _, and do not begin with a digit'
    findings.error(path, `${quoted(name)} is not a valid name of a container property`, hint)
    return
  }
  const [, why] = RESERVED.find(([reserved]) => reserved.test(name)) ?? []
  if (why !== undefined) findings.error(path, `container property ${quoted(name)} is reserved`, why)
}

interface Where {
  readonly what: string
  readonly path: Path
  readonly findings: Errors
}

function checkValue(value: PropertyValue, where: Where): void {
  if (typeof value === 'string') checkText(value, where)
  else if (value instanceof Map) checkProperties(value, where.path, where.findings)
  else if (Array.isArray(value)) checkList(value, where)
  else if (typeof value === 'number' && !Number.isFinite(value)) {
    where.findings.error(where.path, `${where.what} is ${value}, which documents cannot contain`)
  }
}

function checkList(values: readonly PropertyValue[], where: Where): void {
  for (const [index, value] of values.entries()) checkValue(value, { ...where, path: [...where.path, index] })
}

function checkText(text: string, { what, path, findings }: Where): void {
  const character = NOT_XML.exec(text)?.[0]
  if (character === undefined) return
  const code = character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()
  findings.error(path, `${what} contains U+${code}, which cannot occur in XML`, 'encode it, for instance as base64')
}
