import { printableLines, renderBytes, renderTime } from '@davit/diagnostics'
import type { Garbage, Remnant, StoredBytes } from '@davit/target'

/** Renders a line for each path: size, path, and where it is. */
export function renderGarbage({ paths, rubbish }: Garbage, place: string): string {
  return renderPaths([...paths, ...rubbish], place)
}

export function renderRemnants(remnants: readonly Remnant[], place: string): string {
  return renderPaths(remnants, place)
}

function renderPaths(paths: readonly Pick<Remnant, 'path' | 'bytes'>[], place: string): string {
  return printableLines(paths.map(({ path, bytes }) => `${renderBytes(bytes).padStart(8)}  ${path}  on ${place}`))
}

/** Counts of removed logs and records of services that are gone. */
export interface RemovedRemnants {
  readonly logs: number
  readonly records: number
  readonly bytes: number
  readonly dryRun: boolean
}

export function countsOfRemnants(remnants: readonly Remnant[]): Omit<RemovedRemnants, 'dryRun'> {
  const records = remnants.filter(({ kind }) => kind === 'given-up').length
  return { logs: remnants.length - records, records, bytes: sumOf(remnants) }
}

export function removedRemnantsText({ logs, records, bytes, dryRun }: RemovedRemnants): string {
  const counts = [
    [logs, 'log'],
    [records, 'given-up record'],
  ] as const
  const what = counts.flatMap(([count, word]) => (count === 0 ? [] : [countOf(count, word)])).join(' and ')
  return `${removing(dryRun)} ${what} of services that are gone (${renderBytes(bytes)})`
}

/** Counts of what was removed from a store, and of what is kept for a day. */
export interface CollectedGarbage {
  readonly packages: number
  /** Number of paths that were left unfinished. */
  readonly unfinished: number
  readonly bytes: number
  readonly kept: number
  readonly keptBytes: number
  /** When the first of the kept packages may be removed, and the last one; in ISO 8601. */
  readonly keptFrom?: string | undefined
  readonly keptUntil?: string | undefined
  /** `collect` if what is kept for a day was to be removed now. */
  readonly leftovers: string
  readonly dryRun: boolean
}

export function countsOf({ paths, rubbish, kept }: Garbage): Omit<CollectedGarbage, 'leftovers' | 'dryRun'> {
  const [keptFrom, keptUntil] = kept.until?.map((time) => time.toISOString()) ?? []
  return {
    packages: paths.length,
    unfinished: rubbish.length,
    bytes: sumOf([...paths, ...rubbish]),
    kept: kept.paths.length,
    keptBytes: sumOf(kept.paths),
    keptFrom,
    keptUntil,
  }
}

export function collectedText(garbage: CollectedGarbage): string {
  return `${removedText(garbage)}${garbage.kept === 0 ? '' : `; ${keptText(garbage)}`}`
}

function removedText({ packages, unfinished, bytes, dryRun }: CollectedGarbage): string {
  if (packages === 0 && unfinished === 0) return 'there is no garbage'
  const besides =
    unfinished === 0
      ? ''
      : `, and ${countOf(unfinished, 'path')} that ${unfinished === 1 ? 'was' : 'were'} left unfinished`
  return `${removing(dryRun)} ${countOf(packages, 'package')}${besides} (${renderBytes(bytes)})`
}

function removing(dryRun: boolean): string {
  return dryRun ? 'would remove' : 'removed'
}

/** Text about packages that are kept for a day. */
function keptText({ kept, keptBytes, leftovers, ...period }: CollectedGarbage): string {
  const [verb, they, them] = kept === 1 ? ['is', 'it', 'it'] : ['are', 'they', 'them']
  const subject = `${countOf(kept, 'package')} (${renderBytes(keptBytes)}) ${verb} kept`
  if (leftovers === 'collect')
    return `${subject}, since ${they} ${verb} less than five minutes old or a deployment may be about to need ${them}`
  return `${subject} ${periodText(period)}: '--now' removes ${them} as well, once ${they} ${verb} five minutes old`
}

function periodText({ keptFrom, keptUntil }: Pick<CollectedGarbage, 'keptFrom' | 'keptUntil'>): string {
  if (keptFrom === undefined || keptUntil === undefined) return 'for a day'
  const isOne = textOf(keptFrom) === textOf(keptUntil)
  return `until ${textOf(keptUntil)}${isOne ? '' : `, the first until ${textOf(keptFrom)}`}`
}

function textOf(time: string): string {
  return renderTime(new Date(time))
}

function sumOf(some: readonly Pick<StoredBytes, 'bytes'>[]): number {
  return some.reduce((sum, { bytes }) => sum + bytes, 0)
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
