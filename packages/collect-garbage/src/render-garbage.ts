import { renderBytes } from '@davit/diagnostics'
import type { Garbage, Log, StoredBytes } from '@davit/target'

/** A line for each path: size, path, where. */
export function renderGarbage({ paths, rubbish }: Garbage, place: string): string {
  const lines = [...paths, ...rubbish].map(
    ({ path, bytes }) => `${renderBytes(bytes).padStart(8)}  ${path}  on ${place}\n`,
  )
  return lines.join('')
}

export function renderLogs(logs: readonly Log[], place: string): string {
  return logs.map(({ path, bytes }) => `${renderBytes(bytes).padStart(8)}  ${path}  on ${place}\n`).join('')
}

export function summaryOfLogs(logs: readonly Log[], dryRun: boolean): string {
  const givenUp = logs.filter(({ path }) => /\/targets\/[^/]+\/abandoned\//.test(path)).length
  const counts = [
    [logs.length - givenUp, 'log'],
    [givenUp, 'given-up record'],
  ] as const
  const what = counts.flatMap(([count, word]) => (count === 0 ? [] : [countOf(count, word)])).join(' and ')
  return `${dryRun ? 'would remove' : 'removed'} ${what} of services that are gone (${renderBytes(sumOf(logs))})`
}

export interface SummaryOptions {
  readonly dryRun: boolean
  readonly leftovers?: 'keep' | 'collect'
}

export function summaryOf(garbage: Garbage, options: SummaryOptions): string {
  const { paths, rubbish, kept } = garbage
  return `${removedOf({ paths, rubbish }, options.dryRun)}${kept.paths.length === 0 ? '' : `; ${keptOf(kept, options)}`}`
}

function removedOf({ paths, rubbish }: Pick<Garbage, 'paths' | 'rubbish'>, dryRun: boolean): string {
  if (paths.length === 0 && rubbish.length === 0) return 'there is no garbage'
  const unfinished =
    rubbish.length === 0
      ? ''
      : `, and ${countOf(rubbish.length, 'path')} that ${rubbish.length === 1 ? 'was' : 'were'} left unfinished`
  const size = renderBytes(sumOf([...paths, ...rubbish]))
  return `${dryRun ? 'would remove' : 'removed'} ${countOf(paths.length, 'package')}${unfinished} (${size})`
}

/** What goes by itself within a day. */
function keptOf({ paths, until }: Garbage['kept'], { leftovers }: SummaryOptions): string {
  const [verb, they, them] = paths.length === 1 ? ['is', 'it', 'it'] : ['are', 'they', 'them']
  const subject = `${countOf(paths.length, 'package')} (${renderBytes(sumOf(paths))}) ${verb} kept`
  if (leftovers === 'collect')
    return `${subject}, since ${they} ${verb} less than five minutes old or a deployment may be about to need ${them}`
  return `${subject} ${until === undefined ? 'for a day' : periodOf(...until)}: '--now' removes ${them} as well, once ${they} ${verb} five minutes old`
}

function periodOf(first: Date, last: Date): string {
  const isOne = timeOf(first) === timeOf(last)
  return `until ${timeOf(last)}${isOne ? '' : `, the first until ${timeOf(first)}`}`
}

function timeOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function sumOf(some: readonly Pick<StoredBytes, 'bytes'>[]): number {
  return some.reduce((sum, { bytes }) => sum + bytes, 0)
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
