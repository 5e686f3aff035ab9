import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { quoted } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'
import { finding, MUFILES, type StackFinding, WORKSPACE_FILES } from '@davit/stack'
import { listed, nearMiss } from './listed.ts'
import { isAbsent } from './stack-files.ts'

/** Where a stack file is, and the directory where the search for its workspace begins. */
export interface Entry {
  readonly path: string | undefined
  readonly start: string
  /** Whether there is what the operand names; else nobody knows whose workspace is meant. */
  readonly isThere: boolean
  readonly findings: readonly StackFinding[]
}

/** Finds the stack file of an operand: a file of any name, or the nearest one of a directory and those above it. */
export function findMufile(operand: string): Entry {
  const path = resolve(operand)
  try {
    if (!statSync(path).isDirectory()) return { path, start: dirname(path), isThere: true, findings: [] }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    const hint = isAbsent(error) ? 'there is no such file or directory' : reasonOf(error)
    return { path: undefined, start: dirname(path), isThere: false, findings: [finding('MU103', [operand], { hint })] }
  }
  return searchUpwards(path)
}

/** The search ends after a directory with a workspace file. */
function searchUpwards(start: string): Entry {
  const findings: StackFinding[] = []
  for (const directory of upwardsFrom(start)) {
    const names = namesIn(directory, MUFILES, findings)
    const found = MUFILES.find((name) => names.includes(name))
    if (found !== undefined) return { path: join(directory, found), start, isThere: true, findings }
    if (workspaceFileIn(directory, []) !== undefined) break
  }
  return {
    path: undefined,
    start,
    isThere: true,
    findings: [
      ...findings,
      finding('MU100', [], { message: `there is no stack file in ${quoted(start)} or above it` }),
    ],
  }
}

/** The directory, and all above it. */
export function* upwardsFrom(directory: string): Generator<string> {
  for (let current = directory; ; current = dirname(current)) {
    yield current
    if (dirname(current) === current) return
  }
}

/** Returns the path of the workspace file that counts in a directory. */
export function workspaceFileIn(directory: string, findings: StackFinding[]): string | undefined {
  const folders = new Map(WORKSPACE_FILES.map((file) => [dirname(file), [] as string[]]))
  for (const file of WORKSPACE_FILES) folders.get(dirname(file))?.push(basename(file))
  for (const [folder, wanted] of folders) {
    const names = namesIn(join(directory, folder), wanted, findings)
    const found = wanted.find((name) => names.includes(name))
    if (found !== undefined) return join(directory, folder, found)
  }
  return undefined
}

/** Lists the files that are looked for, and warns of those that are called almost like them. */
function namesIn(directory: string, wanted: readonly string[], findings: StackFinding[]): readonly string[] {
  const listing = listed(directory, wanted)
  if (listing.kind === 'unreadable') {
    findings.push(finding('MU103', [directory], { hint: listing.reason }))
    return []
  }
  const files = listing.names.filter((name) => {
    const miss = nearMiss(name, wanted)
    if (miss === undefined && !wanted.includes(name)) return false
    if (!isFile(join(directory, name))) return false
    if (miss !== undefined) {
      const details = { place: { file: join(directory, name) }, hint: `${wanted.join(', ')} are read` }
      findings.push(finding(miss === 'case' ? 'MU101' : 'MU102', [name], details))
    }
    return true
  })
  return files
}

/** What cannot be looked at may be a file; reading it tells. */
function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory()
  } catch (error) {
    return !isAbsent(error)
  }
}
