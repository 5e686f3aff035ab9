import type { BuildSpec, PackageSpec } from '@davit/documents'
import { floatIn } from '@davit/languages'
import { isBelowFetched } from '@davit/stack'
import { attributesOf, type Reader } from './attributes.ts'
import { dedent } from './dedent.ts'
import {
  booleanOf,
  described,
  hintForNull,
  memberOf,
  membersOf,
  numberIn,
  type Part,
  refuse,
  refuseKey,
  refuseOthers,
  refuseUndefined,
  textOf,
} from './part.ts'
import { present } from './present.ts'
import { readSizeLimit } from './read-size-limit.ts'
import { textOfFloat } from './float.ts'
import { warnOfBoolean } from './read-properties.ts'

export interface BuildContext {
  /** Name for a build without one. */
  readonly name?: string
  readonly readPath: Reader<string>
  /** Directory of the model. */
  readonly directory: string
  readInput(part: Part, variable: string): PackageSpec | undefined
}

interface ReadBuild {
  readonly spec: BuildSpec
  readonly parametersFile?: true
}

/** Longest name of a package that is built; the name of its derivation is longer. */
const MOST_CHARACTERS = 196

const ATTRIBUTES = [
  'name',
  'script',
  'sources',
  'env',
  'inputs',
  'network',
  'timeLimit',
  'sizeLimit',
  'parametersFile',
  'fetched',
]

export function readBuild(part: Part, context: BuildContext): ReadBuild {
  const { demand, members, read, table } = attributesOf(part, 'a build')
  refuseOthers(members, ATTRIBUTES, 'a build')
  const readName: Reader<string> = (member) => textOf(member, 'the name of a package')
  const name =
    context.name === undefined
      ? demand('name', readName, { message: "this build has no 'name'" })
      : (read('name', readName) ?? context.name.slice(0, MOST_CHARACTERS))
  const script = demand('script', (member) => readScript(member, part), { message: "this build has no 'script'" })
  const sources = table('sources', (member) => readSources(member, context))
  const spec = present({
    kind: 'build' as const,
    name: name ?? '',
    script: script ?? '',
    sources,
    env: table('env', readEnvironment),
    inputs: table('inputs', (member) => readInputs(member, context)),
    network: read('network', (member) => booleanOf(member, "'network'")) ?? false,
    timeLimitSeconds: read('timeLimit', readTimeLimit),
    sizeLimitBytes: read('sizeLimit', readSizeLimit),
    isFetched: read('fetched', (member) => booleanOf(member, "'fetched'")) || isFetched(context, sources),
  }) satisfies BuildSpec
  refuseDoubles(part, spec)
  const parametersFile = read('parametersFile', (member) => booleanOf(member, "'parametersFile'"))
  return parametersFile === true ? { spec, parametersFile } : { spec }
}

/** Whether strangers may have written a build, or what it works on; nothing if not. */
function isFetched({ directory }: BuildContext, sources: ReadonlyMap<string, string>): true | undefined {
  return [directory, ...sources.values()].some(isBelowFetched) || undefined
}

/** Dedents the script of a program; in data, whose tables are Maps, its language has done that. */
function readScript(member: Part, build: Part): string | undefined {
  const text = textOf(member, 'a shell script')
  return text === undefined || build.value instanceof Map ? text : dedent(text)
}

function readSources(part: Part, { readPath }: BuildContext): ReadonlyMap<string, string> {
  return readVariables(part, 'sources', (member) => {
    const source = memberOf(member.value, 'source') === undefined ? member : membersOf(member, 'a source').get('source')
    return readPath(source ?? member)
  })
}

function readInputs(part: Part, { readInput }: BuildContext): ReadonlyMap<string, PackageSpec> {
  return readVariables(part, 'inputs', readInput)
}

function readEnvironment(part: Part): ReadonlyMap<string, string> {
  return readVariables(part, 'environment variables', (member) => {
    const { value } = member
    if (typeof value === 'string') return value
    if (typeof value === 'boolean') {
      warnOfBoolean(member, value)
      return value ? '1' : ''
    }
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    const float = floatIn(value)
    if (float !== undefined) return textOfFloat(float)
    const message = `expected text, a number, true or false, but got ${described(value)}`
    return refuse(member, message, hintForNull(member))
  })
}

/** Reads shell variables of the build; some names are reserved for davit. */
function readVariables<Value>(
  part: Part,
  what: string,
  reader: (part: Part, name: string) => Value | undefined,
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  refuseUndefined(part, 'the variable')
  for (const [name, member] of membersOf(part, `a table of ${what}`)) {
    checkVariable(name, member)
    const value = reader(member, name)
    if (value !== undefined) values.set(name, value)
  }
  return values
}

function checkVariable(name: string, part: Part): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    refuseKey(
      part,
      `'${name}' is not a valid name for a variable of a build`,
      'use letters, digits and _, and do not begin with a digit',
    )
  } else if (name === 'out' || name === 'parametersFile') {
    refuseKey(part, `the variable '${name}' of a build is set by davit`, 'choose another name')
  }
}

function readTimeLimit(part: Part): number | undefined {
  const seconds = numberIn(part)
  if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0) return seconds
  return refuse(part, `expected a number of seconds, but got ${described(part.value)}`)
}

function refuseDoubles(part: Part, { sources, inputs, env }: BuildSpec): void {
  const names = [...sources.keys(), ...inputs.keys(), ...env.keys()]
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    refuse(
      part,
      `the variable '${name}' of this build is defined twice`,
      'names must be unique across sources, inputs and env',
    )
  }
}
