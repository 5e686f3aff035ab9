import type { Garbage, Log } from '@davit/target'

/** A line for each path: size, path, where. */
export function renderGarbage({ paths, rubbish }: Garbage, place: string): string {
  const lines = [...paths, ...rubbish].map(({ path, bytes }) => `${sizeOf(bytes).padStart(8)}  ${path}  on ${place}\n`)
  return lines.join('')
}

export function renderLogs(logs: readonly Log[], place: string): string {
  return logs.map(({ path, bytes }) => `${sizeOf(bytes).padStart(8)}  ${path}  on ${place}\n`).join('')
}

export function summaryOfLogs(logs: readonly Log[], dryRun: boolean): string {
  const bytes = logs.reduce((sum, log) => sum + log.bytes, 0)
  return `${dryRun ? 'would remove' : 'removed'} ${countOf(logs.length, 'log')} of activities of services that are gone (${sizeOf(bytes)})`
}

export function summaryOf({ paths, rubbish }: Garbage, dryRun: boolean): string {
  const bytes = [...paths, ...rubbish].reduce((sum, one) => sum + one.bytes, 0)
  if (paths.length === 0 && rubbish.length === 0) return 'there is no garbage'
  const unfinished =
    rubbish.length === 0
      ? ''
      : `, and ${countOf(rubbish.length, 'path')} that ${rubbish.length === 1 ? 'was' : 'were'} left unfinished`
  return `${dryRun ? 'would remove' : 'removed'} ${countOf(paths.length, 'package')}${unfinished} (${sizeOf(bytes)})`
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

function sizeOf(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`
  return bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1_000_000)} MB`
}
