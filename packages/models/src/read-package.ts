import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BuildSpec, PackageSpec } from '@davit/documents'
import { booleanOf, described, entriesOf, memberOf, membersOf, type Part, refuse, refuseOthers, textOf } from './part.ts'
import { floatIn } from './read-properties.ts'
import { present } from './present.ts'

export interface PackageContext {
  /** That relative paths begin at. */
  readonly directory: string
  /** For a build without a name. */
  readonly name?: string
}

/** A package of a service or target; only these can ask for the file of inter-dependencies. */
export interface ReadPackage {
  readonly spec: PackageSpec
  readonly parametersFile?: true
}

const FORMS = 'write { source: PATH } or { build: { script: ... } }'

export function readPackage(part: Part, context: PackageContext): ReadPackage | undefined {
  if (entriesOf(part.value) === undefined) {
    return refuse(part, `expected a package, but got ${described(part.value)}`, FORMS)
  }
  const members = membersOf(part, 'a package')
  const source = members.get('source')
  const build = members.get('build')
  if (source !== undefined && build === undefined) {
    refuseOthers(members, ['source', 'name'], 'a source')
    return readSource(source, members.get('name'), context)
  }
  if (build === undefined) return refuse(part, 'expected a package, but this table is neither a source nor a build', FORMS)
  refuseOthers(members, ['build'], 'a package that is built')
  return readBuild(build, context)
}

function readSource(source: Part, nameMember: Part | undefined, { directory }: PackageContext): ReadPackage | undefined {
  const path = readPath(source, directory)
  const name = nameMember === undefined ? undefined : textOf(nameMember, 'the name of a package')
  return path === undefined ? undefined : { spec: { kind: 'source', path, ...present({ name }) } }
}

function readPath(part: Part, directory: string): string | undefined {
  const text = textOf(part, 'the path of a directory or file')
  if (text === undefined) return undefined
  const path = resolve(directory, text)
  if (existsSync(path)) return path
  return refuse(part, `'${text}' does not exist`, `relative paths begin at '${directory}'`)
}

const BUILD_ATTRIBUTES = ['name', 'script', 'sources', 'env', 'inputs', 'network', 'timeLimit', 'parametersFile']

function readBuild(part: Part, context: PackageContext): ReadPackage | undefined {
  const members = membersOf(part, 'a build')
  refuseOthers(members, BUILD_ATTRIBUTES, 'a build')
  const read = <Value>(attribute: string, reader: (part: Part) => Value | undefined) => {
    const member = members.get(attribute)
    return member === undefined ? undefined : reader(member)
  }
  const name = read('name', (member) => textOf(member, 'the name of a package')) ?? context.name
  const script = read('script', (member) => textOf(member, 'a shell script'))
  if (script === undefined && !members.has('script')) refuse(part, "a build needs a 'script'")
  if (name === undefined && !members.has('name')) refuse(part, "this build needs a 'name'")
  const spec = present({
    kind: 'build' as const,
    name: name ?? '',
    script: script ?? '',
    sources: read('sources', (member) => readSources(member, context.directory)) ?? new Map<string, string>(),
    env: read('env', readEnvironment) ?? new Map<string, string>(),
    inputs: read('inputs', (member) => readInputs(member, context)) ?? new Map<string, PackageSpec>(),
    network: read('network', (member) => booleanOf(member, "'network'")) ?? false,
    timeLimitSeconds: read('timeLimit', readTimeLimit),
  }) satisfies BuildSpec
  refuseDoubles(members)
  const parametersFile = read('parametersFile', (member) => booleanOf(member, "'parametersFile'"))
  return parametersFile === true ? { spec, parametersFile } : { spec }
}

/** Shell variables of the build; `out` and the file of parameters are davit's own. */
function variablesOf(part: Part, what: string): ReadonlyMap<string, Part> {
  const members = membersOf(part, `a table of ${what}`)
  for (const [name, member] of members) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      refuse(member, `'${name}' cannot be a variable of the build`, 'use letters, digits and _, beginning with no digit')
    } else if (['out', 'parametersFile'].includes(name)) {
      refuse(member, `variable '${name}' of the build is set by davit`, 'choose another name')
    }
  }
  return members
}

function readEach<Value>(
  members: ReadonlyMap<string, Part>,
  reader: (part: Part, name: string) => Value | undefined,
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  for (const [name, member] of members) {
    const value = reader(member, name)
    if (value !== undefined) values.set(name, value)
  }
  return values
}

function readSources(part: Part, directory: string): ReadonlyMap<string, string> {
  return readEach(variablesOf(part, 'sources'), (member) => {
    const source = memberOf(member.value, 'source') === undefined ? member : membersOf(member, 'a source').get('source')
    return readPath(source ?? member, directory)
  })
}

function readEnvironment(part: Part): ReadonlyMap<string, string> {
  return readEach(variablesOf(part, 'environment variables'), (member) => {
    const { value } = member
    if (typeof value === 'string') return value
    if (typeof value === 'boolean') return value ? '1' : ''
    const number = floatIn(value)
    if (number !== undefined) return Number.isInteger(number) ? number.toFixed(1) : String(number)
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    return refuse(member, `expected text, a number, true or false, but got ${described(value)}`)
  })
}

function readInputs(part: Part, { directory }: PackageContext): ReadonlyMap<string, PackageSpec> {
  return readEach(variablesOf(part, 'inputs'), (member, name) => {
    const input = readPackage(member, { directory, name })
    if (input?.parametersFile !== true) return input?.spec
    return refuse(member, "an input cannot have 'parametersFile'", 'only the package of a service itself can')
  })
}

function readTimeLimit(part: Part): number | undefined {
  const { value } = part
  const seconds = floatIn(value) ?? value
  if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0) return seconds
  return refuse(part, `expected a number of seconds, but got ${described(value)}`)
}

function refuseDoubles(members: ReadonlyMap<string, Part>): void {
  const used = new Map<string, string>()
  for (const kind of ['sources', 'inputs', 'env']) {
    for (const [name] of entriesOf(members.get(kind)?.value) ?? []) {
      const member = members.get(kind)
      const before = used.get(String(name))
      if (before !== undefined && member !== undefined) {
        refuse(member, `variable '${String(name)}' of the build is in '${before}' and in '${kind}'`, 'rename one')
      }
      used.set(String(name), kind)
    }
  }
}
