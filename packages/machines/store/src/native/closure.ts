import type { StorePath } from '@davit/documents'
import type { Registry } from './registry.ts'

/** Returns everything that these paths need, referenced paths before those that refer to them. */
export function closureOf({ get }: Pick<Registry, 'get'>, paths: Iterable<StorePath>): readonly StorePath[] {
  const closed = new Set<StorePath>()
  const opened = new Set<StorePath>()
  const stack = [...paths].toReversed()
  for (let path = stack.at(-1); path !== undefined; path = stack.at(-1)) {
    if (opened.has(path)) {
      stack.pop()
      closed.add(path)
      continue
    }
    opened.add(path)
    stack.push(
      ...get(path)
        .references.filter((reference) => !opened.has(reference))
        .toReversed(),
    )
  }
  return [...closed]
}
