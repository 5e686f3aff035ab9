import { type CompiledStack, isBelowFetched } from '@davit/stack'

/** Whether strangers may have written a part of a stack: each part can reach the script of a build, through properties. */
export function hasFetched({ file, references }: CompiledStack): boolean {
  return [file, ...[...references.values()].map((found) => found.file)].some(({ path }) => isBelowFetched(path))
}

/** Marks the builds in a package, those of its inputs included, as fetched. */
export function withMarks(pkg: unknown): unknown {
  const members = membersOf(pkg)
  if (members === undefined) return pkg
  const build = membersOf(members.get('build'))
  if (build === undefined) return pkg
  const inputs = membersOf(build.get('inputs'))
  const markedInputs = inputs && new Map([...inputs].map(([name, input]) => [name, withMarks(input)]))
  const marks = [['fetched', true], ...(markedInputs === undefined ? [] : [['inputs', markedInputs] as const])] as const
  return new Map([...members, ['build', new Map<string, unknown>([...build, ...marks])]])
}

/** Returns the members of a table, whether it is written in a stack or made here. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (value instanceof Map) return value as ReadonlyMap<string, unknown>
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
}
