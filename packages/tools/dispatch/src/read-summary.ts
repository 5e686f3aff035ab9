import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Reads the summary of a program from the manual page installed with it; empty if there is none. */
export async function readSummary(name: string, path: string): Promise<string> {
  const page = join(dirname(path), '..', 'share', 'man', 'man1', `davit-${name}.1`)
  return summaryIn(await readFile(page, 'utf8').catch(() => ''))
}

/** Text after the dash in the section NAME. */
export function summaryIn(page: string): string {
  const [, line = ''] = /^\.SH "?NAME"?\n(.*)$/m.exec(page) ?? []
  const [, ...texts] = line.split(/ \\?- /)
  return (texts.at(-1) ?? '').replaceAll('\\-', '-').replaceAll('\\e', '\\')
}
