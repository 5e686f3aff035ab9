import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type PackageSpec, parseStorePath } from '@davit/documents'
import { described, entriesOf, membersOf, type Part, refuse, refuseOthers, textOf } from './part.ts'
import { present } from './present.ts'
import { type BuildContext, readBuild } from './read-build.ts'
import { readSizeLimit } from './read-size-limit.ts'

export interface PackageContext {
  /** Directory that relative paths start from. */
  readonly directory: string
  /** Name for a build without one. */
  readonly name?: string
}

/** A package of a service or target; only these can have the parameters file. */
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
  if (source !== undefined) {
    refuseOthers(members, ['source', 'name', 'sizeLimit'], 'a source')
    return readSource(source, members, context)
  }
  const stored = members.get('storePath')
  if (stored !== undefined) {
    refuseOthers(members, ['storePath'], 'a package in the store')
    return readStored(stored)
  }
  const build = members.get('build')
  if (build === undefined) {
    const isBuild = members.has('script')
    const hint = isBuild ? "put all of it into 'build': { build: { script: ... } }" : FORMS
    return refuse(part, 'expected a package, but this table is neither a source nor a build', hint)
  }
  refuseOthers(members, ['build'], 'a package that is built')
  return readBuild(build, buildContext(context))
}

function readSource(
  source: Part,
  members: ReadonlyMap<string, Part>,
  { directory }: PackageContext,
): ReadPackage | undefined {
  const path = readPath(source, directory)
  const [nameMember, limitMember] = [members.get('name'), members.get('sizeLimit')]
  const name = nameMember === undefined ? undefined : textOf(nameMember, 'the name of a package')
  const sizeLimitBytes = limitMember === undefined ? undefined : readSizeLimit(limitMember)
  return path === undefined ? undefined : { spec: { kind: 'source', path, ...present({ name, sizeLimitBytes }) } }
}

function readStored(part: Part): ReadPackage | undefined {
  const text = textOf(part, 'a store path')
  if (text === undefined) return undefined
  const path = parseStorePath(text)
  const form = 'a store path has the form <store directory>/<32 characters>-<name>'
  return path === undefined ? refuse(part, `'${text}' is not a store path`, form) : { spec: { kind: 'present', path } }
}

function readPath(part: Part, directory: string): string | undefined {
  const text = textOf(part, 'the path of a directory or file')
  if (text === undefined) return undefined
  const path = resolve(directory, text)
  return existsSync(path) ? path : refuse(part, `'${text}' does not exist`, `relative paths start from '${directory}'`)
}

function buildContext({ directory, name }: PackageContext): BuildContext {
  return {
    ...present({ name }),
    directory,
    readPath: (part) => readPath(part, directory),
    readInput(part, variable) {
      const input = readPackage(part, { directory, name: variable })
      if (input?.parametersFile !== true) return input?.spec
      return refuse(part, "an input cannot have 'parametersFile'", 'only the package of a service itself can')
    },
  }
}
