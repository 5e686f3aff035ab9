import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

import { readTextFile } from '@davit/files'
import type { Environment } from '@davit/process'

export interface SshHostsOptions {
  readonly environment: Environment
  /** Directory of the user; that of the system's accounts when absent. */
  readonly home?: string
}

/**
 * Returns the names of the `Host` entries of a configuration of ssh that are no patterns, each once, in the order of the file. Files that it
 * includes are read as well; without a file, it is that of `DAVIT_SSH_CONFIG` or of the user.
 */
export async function hostsInSshConfiguration(
  file: string | undefined,
  { environment, home = homedir() }: SshHostsOptions,
): Promise<readonly string[]> {
  const first = file ?? (environment['DAVIT_SSH_CONFIG'] || join(home, '.ssh/config'))
  const names = await namesIn(await readTextFile(first), { home, depth: 0 })
  return [...new Set(names)]
}

interface Nesting {
  readonly home: string
  readonly depth: number
}

/** As in OpenSSH. */
const MAX_DEPTH = 16

async function namesIn(text: string, nesting: Nesting): Promise<readonly string[]> {
  const names: string[] = []
  for (const line of text.split('\n')) {
    const [keyword = '', ...words] = wordsOf(line)
    if (keyword.toLowerCase() === 'host') names.push(...words.filter((word) => !/[*?!]/.test(word)))
    // The order of the files is that of their names in the text.
    // oxlint-disable-next-line no-await-in-loop
    if (keyword.toLowerCase() === 'include') names.push(...(await namesIncluded(words, nesting)))
  }
  return names
}

/** Splits a line `keyword word…` or `keyword=word…`; words may be quoted, and end at a comment. */
function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/"([^"]*)"|([^\s"=]+)|(=)/g)
  const texts = Array.from(words, ([whole, quoted, plain]) => quoted ?? plain ?? whole)
  const comment = texts.findIndex((text) => text.startsWith('#'))
  const told = comment === -1 ? texts : texts.slice(0, comment)
  return told.filter((text, at) => at !== 1 || text !== '=')
}

async function namesIncluded(patterns: readonly string[], { home, depth }: Nesting): Promise<readonly string[]> {
  if (depth >= MAX_DEPTH) return []
  const files = await Promise.all(patterns.map((pattern) => filesFor(pathOf(pattern, home))))
  const texts = await Promise.all(files.flat().map(textOf))
  const names = await Promise.all(texts.map((text) => namesIn(text, { home, depth: depth + 1 })))
  return names.flat()
}

function pathOf(pattern: string, home: string): string {
  return resolve(
    home,
    '.ssh',
    pattern.replace(/^~(?=\/|$)/, () => home),
  )
}

/** What cannot be read is left out, as by OpenSSH. */
function textOf(file: string): Promise<string> {
  return readTextFile(file).catch(() => '')
}

/** Returns the files that a pattern with `*` and `?` stands for, in order of their names. */
async function filesFor(pattern: string): Promise<readonly string[]> {
  let found: readonly string[] = ['/']
  for (const part of pattern.split('/').slice(1)) {
    // Each part needs the directories of the part before.
    // oxlint-disable-next-line no-await-in-loop
    const lists = await Promise.all(found.map((directory) => entriesFor(directory, part)))
    found = lists.flat()
  }
  return found
}

async function entriesFor(directory: string, part: string): Promise<readonly string[]> {
  if (!/[*?]/.test(part)) return [join(directory, part)]
  const escaped = part
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
  const wanted = new RegExp(`^${part.startsWith('.') ? '' : '(?!\\.)'}${escaped}$`, 's')
  const entries = await readdir(directory).catch(() => [])
  return entries
    .filter((entry) => wanted.test(entry))
    .toSorted()
    .map((entry) => join(directory, entry))
}
