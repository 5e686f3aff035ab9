import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { HostKeyVerdict } from '../packages/effects/connection/src/known-hosts.ts'
import type { FieldTable, Message } from '../packages/documents/diagnostics/src/diagnostics.ts'
import { packageDirectories } from './executables.ts'

export { ERROR_CODES } from '../packages/documents/diagnostics/src/error-codes.ts'

export interface MessageCode {
  readonly code: string
  /** Name of the package whose table contains the code. */
  readonly package: string
  readonly kind: Message['kind']
  readonly fields: FieldTable
  /** Meaning, and what to do: the comment above the row in the source. */
  readonly about: string
}

/** Returns every code that a note, a detail or a warning can have, in order. */
export async function messageCodes(): Promise<readonly MessageCode[]> {
  const files = packageDirectories()
    .map((home) => join(home, 'src/messages.ts'))
    .filter((file) => existsSync(file))
  const tables = await Promise.all(
    files.map(async (file) => {
      const { say } = (await import(pathToFileURL(file).href)) as { say: { table: Table } }
      const comments = commentsIn(readFileSync(file, 'utf8'))
      return Object.entries(say.table).map(([code, { kind, fields }]) => {
        const about = comments.get(code) ?? ''
        return { code, package: basename(dirname(dirname(file))), kind, fields, about }
      })
    }),
  )
  return tables.flat().toSorted((left, right) => (left.code < right.code ? -1 : 1))
}

/** Returns the comments above rows of a table, by their codes. */
function commentsIn(source: string): ReadonlyMap<string, string> {
  const rows = source.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}'?([a-z-]+)'?: /gm)
  return new Map([...rows].map(([, comment = '', code = '']) => [code, comment.replace(/\s*\n *\* ?/g, ' ').trim()]))
}

type Table = Readonly<Record<string, { readonly kind: Message['kind']; readonly fields: FieldTable }>>

/** Returns every code that an error can have, as found in the TypeScript sources, and the scripts for targets. */
export function errorCodes(): readonly string[] {
  const codes = [
    ...sources('src', '.ts').flatMap((file) => thrownIn(readFileSync(file, 'utf8'))),
    ...sources('runtime', '.sh').flatMap((file) => firstWords(file, /(?<=^[^#\n].*)\bfail ([a-z][a-z-]+) ['"$]/gm)),
    ...COMPOSED,
  ]
  return [...new Set(codes)].toSorted()
}

const HOST_KEYS = {
  unknown: 'host-key-unknown',
  changed: 'host-key-changed',
  revoked: 'host-key-revoked',
} satisfies Record<Exclude<HostKeyVerdict['kind'], 'known'>, string>

/** Codes that do not appear where an error is made, among them those of bugs and of refusals by a target without a code. */
const COMPOSED = [...Object.values(HOST_KEYS), 'internal-error', 'failed']

/** Returns the codes that are string literals in the first argument of an error's constructor. */
function thrownIn(text: string): readonly string[] {
  const made = [...text.matchAll(/new (?:DavitError|SilentError|RefusedRequest)\(\s*([^,]*),/g)]
  return made.flatMap(([, argument = '']) => [...argument.matchAll(/'([a-z][a-z-]*)'/g)].map(([, code = '']) => code))
}

function firstWords(file: string, pattern: RegExp): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, word = '']) => word)
}

/** Returns the files in the given directory of every package. */
function sources(directory: string, extension: string): readonly string[] {
  return packageDirectories()
    .map((home) => join(home, directory))
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place, { recursive: true, encoding: 'utf8' }).map((name) => join(place, name)))
    .filter((file) => file.endsWith(extension))
}
