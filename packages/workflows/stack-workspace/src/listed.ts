import { readdirSync, statSync } from 'node:fs'
import { join, parse } from 'node:path'
import { isDenied, reasonOf, systemErrorCode } from '@davit/files'
import { isAbsent } from './stack-files.ts'

/** Names in a directory, or why they are not known. */
export type Listing =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Lists a directory; none has no names. Of one that may be entered but not listed, only the wanted names are known. */
export function listed(directory: string, wanted: readonly string[]): Listing {
  try {
    return { kind: 'names', names: readdirSync(directory) }
  } catch (error) {
    if (isAbsent(error)) return { kind: 'names', names: [] }
    if (isDenied(error)) return { kind: 'names', names: wanted.filter((name) => exists(join(directory, name))) }
    if (systemErrorCode(error) === undefined) throw error
    return { kind: 'unreadable', reason: reasonOf(error) }
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** How a name differs from those that are looked for: in case only, or in its extension only. */
export function nearMiss(name: string, wanted: readonly string[]): 'case' | 'extension' | undefined {
  if (wanted.includes(name)) return undefined
  if (wanted.some((one) => one.toLowerCase() === name.toLowerCase())) return 'case'
  return wanted.some((one) => parse(one).name === parse(name).name) ? 'extension' : undefined
}
