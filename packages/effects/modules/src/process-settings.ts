import { type Finding, suggestionFor } from '@davit/diagnostics'

import { type ShellAssignment, shellAssignments } from './shell-assignments.ts'

/** Keys of a file `etc/dysnomia/process/ANYTHING`, each with the form of its value. */
export const PROCESS_SETTINGS: Readonly<Record<string, Expectation>> = {
  process: {},
  pidFile: {},
  runtimeDir: {},
  timeout: { pattern: /^(0|[1-9]\d{0,5})$/, expected: 'a number of seconds' },
  workingDirectory: {},
  readyPort: { pattern: /^[1-9]\d{0,4}$/, highest: 65535, expected: 'a port, from 1 to 65535' },
  readyCommand: {},
  readyTimeout: { pattern: /^(0|[1-9]\d{0,5})$/, expected: 'a number of seconds' },
  stopSignal: {
    pattern: /^(SIG)?(TERM|INT|QUIT|HUP|USR1|USR2|WINCH|KILL)$/,
    expected: 'one of TERM, INT, QUIT, HUP, USR1, USR2, WINCH, KILL',
  },
  stopTimeout: { pattern: /^(0|[1-9]\d{0,5})$/, expected: 'a number of seconds' },
  stateDirectory: {
    pattern: /^\/(?!.*\/\.{1,2}(\/|$))(?!\.{1,2}(\/|$)).*[^/]/,
    expected: 'an absolute path without . and .., and a directory of its own',
  },
  stateOwner: { pattern: /^(?!-)[^\s:]*(:[^\s:]*)?$/, expected: 'of the form USER:GROUP' },
  stateMode: { pattern: /^[0-7]{3,4}$/, expected: 'an octal number of three or four digits' },
  snapshotCommand: {},
  snapshotExclude: {},
  snapshotOwners: { pattern: /^(names|numbers)$/, expected: 'names or numbers' },
  logSize: { pattern: /^[1-9]\d{0,8}[kMG]?$/, expected: 'a number of bytes, optionally with k, M or G' },
}

interface Expectation {
  readonly pattern?: RegExp
  readonly highest?: number
  readonly expected?: string
}

/**
 * Finds what the module would reject, ignore or warn of in a file of shell assignments, without evaluating it: unknown keys that
 * nothing in the file refers to, literal values that are invalid, and working directories inside of the package.
 */
export function processSettingsProblems(text: string, file: string): readonly Finding[] {
  return shellAssignments(text).flatMap((assignment): readonly Finding[] => {
    const isKnown = Object.hasOwn(PROCESS_SETTINGS, assignment.name)
    const problem = isKnown ? (inPackage(assignment) ?? wrongValue(assignment)) : unknownKey(assignment, text)
    return problem === undefined ? [] : [{ place: { file, line: assignment.line }, ...problem }]
  })
}

type Problem = Pick<Finding, 'message' | 'hint'>

function unknownKey({ name }: ShellAssignment, text: string): Problem | undefined {
  if (new RegExp(`\\$\\{?${name}\\b`).test(text)) return undefined
  const keys = Object.keys(PROCESS_SETTINGS)
  const hint = suggestionFor(name, keys) ?? `the settings are ${keys.join(', ')}`
  return { message: `'${name}' is not a setting of a process`, hint }
}

function wrongValue({ name, value = '' }: ShellAssignment): Problem | undefined {
  const { pattern, highest = Infinity, expected } = PROCESS_SETTINGS[name] ?? {}
  if (value === '' || pattern === undefined) return undefined
  if (pattern.test(value) && !(Number(value) > highest)) return undefined
  return { message: `${name} '${value}' is not ${expected}` }
}

/** A relative directory is inside of the package, into which root could write. */
function inPackage({ name, value = '' }: ShellAssignment): Problem | undefined {
  if (name !== 'workingDirectory' || value === '' || value.startsWith('/')) return undefined
  return {
    message: `workingDirectory '${value}' is inside of the package: what a program writes there as root alters the package`,
    hint: 'if it writes there, give it a stateDirectory, and name that as its workingDirectory',
  }
}
