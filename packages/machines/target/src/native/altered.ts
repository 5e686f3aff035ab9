import { basename } from 'node:path'

import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { type NativeStore, type StoreLayout, storeLayout } from '@davit/store'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'

/** A package of a machine that is not what it was when it was made. */
export interface AlteredPackage {
  readonly path: StorePath
  /** What was written into it. */
  readonly what: string
}

export interface AlteredPackages {
  readonly altered: readonly AlteredPackage[]
  /** Those that are known to be altered, and wait to be made or sent again. */
  readonly marked: readonly StorePath[]
  /** How many were set aside when they were made or sent again. */
  readonly aside: number
  /** How many were not looked at in that time. */
  readonly unchecked: number
}

export interface AlteredQuestion {
  readonly directory: string
  /** By default, all that are valid there. */
  readonly paths?: readonly StorePath[]
  readonly seconds: number
}

/** Finds packages of a native store of a machine into which something was written. It goes by times, and reads no contents. */
export async function findAltered(
  machine: Machine<'carry'> | Machine<'check'>,
  { directory, paths = [], seconds }: AlteredQuestion,
): Promise<AlteredPackages> {
  const { registrations } = storeLayout(directory)
  const words = [registrations, String(seconds), ...paths.map((path) => basename(path))] as const
  const lines = (await (machine as Machine<'check'>).request('native_altered', words)).slice(0, MAX_LINES)
  const pathOf = (name: string) => `${directory}/${name}` as StorePath
  const numbers = (fact: string) =>
    lines.flatMap((line) => (line.startsWith(`${fact} `) ? Number(/^\d{1,9}$/.exec(line.slice(fact.length + 1))) : []))
  return {
    altered: lines.flatMap((line) => {
      const [, name = '', kind = '', entry = ''] = ALTERED.exec(line) ?? []
      return name === '' ? [] : { path: pathOf(name), what: changeText(kind, printable(fromHexadecimal(entry))) }
    }),
    marked: lines.flatMap((line) => {
      const [, name = ''] = MARKED.exec(line) ?? []
      return name === '' ? [] : pathOf(name)
    }),
    aside: numbers('aside')[0] ?? 0,
    unchecked: numbers('unchecked')[0] ?? 0,
  }
}

const MAX_LINES = 10_000
const NAME = '[0-9a-z]{32}-[A-Za-z0-9_.+?=-]{1,255}'
const ALTERED = new RegExp(`^altered (${NAME}) (file|directory) ([0-9a-f]{0,2000})$`)
const MARKED = new RegExp(`^marked (${NAME})$`)

function changeText(kind: string, entry: string): string {
  const where = entry === '' ? 'it' : `'${entry}'`
  return kind === 'file' ? `${where} was added or changed` : `something was added to ${where}, or removed from it`
}

/**
 * Marks paths there into which something was written, so that they count as missing, unless those of the coordinator are no better; fails
 * if those were altered. Returns what it has marked.
 */
export async function markAltered(
  machine: Machine<'carry'>,
  store: NativeStore,
  paths: readonly StorePath[],
): Promise<readonly AlteredPackage[]> {
  const { directory } = store.reference
  const { altered } = await findAltered(machine, { directory, paths, seconds: PATIENCE_SECONDS })
  if (altered.length === 0) return []
  // The store may be the same. Then nothing was altered, as the content is what it should be.
  const touched = new Set(await store.refuseAltered(altered.map(({ path }) => path)))
  const wanted = new Set(paths)
  const marked = altered.filter(({ path }) => wanted.has(path) && !touched.has(path))
  await mark(machine, storeLayout(directory), marked)
  return marked
}

const PATIENCE_SECONDS = 60

async function mark(
  machine: Machine<'carry'>,
  { registrations }: StoreLayout,
  marked: readonly { readonly path: StorePath }[],
): Promise<void> {
  if (marked.length === 0) return
  await machine.request('native_mark', [registrations, ...marked.map(({ path }) => basename(path))])
}

/** Marks a path there whose content has arrived and is not what it should be, and returns the error for it. */
export async function alteredThere(
  machine: Machine<'carry'>,
  store: NativeStore,
  path: StorePath,
): Promise<DavitError> {
  const { directory } = store.reference
  const { altered } = await findAltered(machine, { directory, paths: [path], seconds: PATIENCE_SECONDS }).catch(() => ({
    altered: [],
  }))
  await mark(machine, storeLayout(directory), [{ path }]).catch(() => {})
  const what = altered.find((one) => one.path === path)?.what ?? 'its content differs from its registration'
  return new DavitError(
    'altered-package',
    `'${path}' on '${machine.address}' is not what it was when it was made: ${what}`,
    {
      exitStatus: ExitStatus.failed,
      fields: { altered: [path] },
      hint: `run the same command again: it is made again, and what is there now is kept in '${directory}/.davit/set-aside'`,
    },
  )
}
