import { openSync } from 'node:fs'

import type { Command } from './command.ts'
import { inheritedDescriptors } from './inherited.ts'

/** A process group of its own, and nothing added to the environment. */
export function spawnOptions({ cwd, env }: Command) {
  return {
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  } as const
}

let nothing: number | undefined

/**
 * What a program gets as its descriptors from 3 to the highest: Node.js cannot close one that it would inherit, but put another in its place.
 */
export function extraStreams({ descriptors }: Command, highest: number): readonly ('ignore' | number)[] {
  const inherited = descriptors === 'keep' ? [] : inheritedDescriptors().filter((number) => number <= highest)
  if (inherited.length === 0) return []
  nothing ??= openSync('/dev/null', 'r+')
  const replaced = Array.from<'ignore' | number>({ length: Math.max(...inherited) - 2 }).fill('ignore')
  for (const number of inherited) replaced[number - 3] = nothing
  return replaced
}
