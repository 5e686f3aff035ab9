import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { HostKeyVerdict } from '../packages/effects/connection/src/known-hosts.ts'
import type { FieldTable, Message } from '../packages/documents/diagnostics/src/diagnostics.ts'
import { packageDirectories, ROOT } from './executables.ts'

export interface MessageCode {
  readonly code: string
  /** Of the package whose table has it. */
  readonly package: string
  readonly kind: Message['kind']
  readonly fields: FieldTable
}

/** Every code that a note, a detail or a warning can have, in order. */
export async function messageCodes(): Promise<readonly MessageCode[]> {
  const files = packageDirectories()
    .map((home) => join(home, 'src/messages.ts'))
    .filter((file) => existsSync(file))
  const tables = await Promise.all(
    files.map(async (file) => {
      const { say } = (await import(pathToFileURL(file).href)) as { say: { table: Table } }
      return Object.entries(say.table).map(([code, { kind, fields }]) => {
        return { code, package: basename(dirname(dirname(file))), kind, fields }
      })
    }),
  )
  return tables.flat().toSorted((left, right) => (left.code < right.code ? -1 : 1))
}

type Table = Readonly<Record<string, { readonly kind: Message['kind']; readonly fields: FieldTable }>>

/** Every code that an error can have, as the source says: those of TypeScript, of scripts for targets, and of davit-env. */
export function errorCodes(): readonly string[] {
  const codes = [
    ...sources('src', '.ts').flatMap((file) => thrownIn(readFileSync(file, 'utf8'))),
    ...sources('runtime', '.sh').flatMap((file) => firstWords(file, /(?<=^[^#\n].*)\bfail ([a-z][a-z-]+) ['"$]/gm)),
    ...firstWords(join(ROOT, 'scripts/davit-env'), /(?<=^[^#\n].*)\bcomplain ([a-z][a-z-]+) [0-9"]/gm),
    ...COMPOSED,
  ]
  return [...new Set(codes)].toSorted()
}

const HOST_KEYS = {
  unknown: 'host-key-unknown',
  changed: 'host-key-changed',
  revoked: 'host-key-revoked',
} satisfies Record<Exclude<HostKeyVerdict['kind'], 'known'>, string>

/** Those that do not stand where an error is made: also that of bugs, and that of what a target refuses without a code. */
const COMPOSED = [...Object.values(HOST_KEYS), 'internal-error', 'failed']

/** Codes that stand as texts in the first argument of what makes an error. */
function thrownIn(text: string): readonly string[] {
  const made = [...text.matchAll(/new (?:DavitError|SilentError|RefusedRequest)\(\s*([^,]*),/g)]
  return made.flatMap(([, argument = '']) => [...argument.matchAll(/'([a-z][a-z-]*)'/g)].map(([, code = '']) => code))
}

function firstWords(file: string, pattern: RegExp): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, word = '']) => word)
}

/** Files below such a directory of any package. */
function sources(directory: string, extension: string): readonly string[] {
  return packageDirectories()
    .map((home) => join(home, directory))
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place, { recursive: true, encoding: 'utf8' }).map((name) => join(place, name)))
    .filter((file) => file.endsWith(extension))
}
