import { createHash } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { MadeFrom, Manifest, parseDocument, type StorePath } from '@davit/documents'
import { isMissing, makeDirectories, readTextFile, writeFileAtomic } from '@davit/files'
import type { Store } from '@davit/store'

import type { DeploymentPlace } from './place.ts'

/** What a run is about to reach. It is recorded before the run changes anything, and until it has ended well or was undone. */
export interface WantedRun {
  /** Token of its lock, or another name of the run if it worked without one. */
  readonly run: string
  /** Whether the targets were told what is wanted. */
  readonly isTold: boolean
  /** Text of the manifest, as given. */
  readonly text: string
  readonly madeFrom: MadeFrom
}

export interface ReadWantedRun extends WantedRun {
  readonly manifest: Manifest
}

/**
 * Records what a run wants; `undoWanted` brings back what was recorded before. Its packages are kept if the store has them, once
 * `kept` resolves: whoever made the manifest keeps them for a day, so that the run need not wait for that.
 */
export async function beginWanted(
  place: DeploymentPlace,
  wanted: WantedRun & Pick<ReadWantedRun, 'manifest'>,
  store: Pick<Store, 'addRoot'>,
): Promise<{ readonly kept: Promise<void> }> {
  makeDirectories(place, 0o700)
  const before = await runIn(fileOf(place))
  if (before !== undefined && before !== wanted.run) await rename(fileOf(place), beforeOf(place))
  const { run, isTold, text, madeFrom } = wanted
  const lines = [{ run, isTold }, madeFrom].map((line) => `${JSON.stringify(line)}\n`)
  await writeFileAtomic(fileOf(place), `${lines.join('')}${text}`, { mode: 0o600 })
  return { kept: keep(store, rootOf(place, run), [...wanted.manifest.profiles.values()]) }
}

/** Reads what the last run wanted, if it has not ended well, and was not undone. */
export async function readWanted(place: DeploymentPlace): Promise<ReadWantedRun | undefined> {
  const file = fileOf(place)
  const text = await textOf(file)
  if (text === '') return undefined
  const wanted = parse(text)
  if (wanted === undefined) throw corrupt(file)
  const { madeFrom, ...rest } = wanted
  return {
    ...rest,
    manifest: parseDocument(Manifest, wanted.text, { file: `the manifest in ${file}` }),
    madeFrom: parseDocument(MadeFrom, madeFrom, { file }),
  }
}

/** Whether a run is recorded, be it under a lock or any. */
export async function isWanted(place: DeploymentPlace, run?: string): Promise<boolean> {
  const recorded = await runIn(fileOf(place))
  return recorded !== undefined && (run === undefined || recorded === run)
}

/** The run under this lock has left everything as it was: what was recorded before it counts again. */
export async function undoWanted(place: DeploymentPlace, run: string, store: Pick<Store, 'removeRoot'>): Promise<void> {
  if ((await runIn(fileOf(place))) !== run) return
  await rename(beforeOf(place), fileOf(place)).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error
    await rm(fileOf(place), { force: true })
  })
  await store.removeRoot(rootOf(place, run))
}

/** Whatever was wanted has been reached, or something else was deployed instead. */
export async function endWanted(place: DeploymentPlace, store: Pick<Store, 'removeRoot'>): Promise<void> {
  for (const file of [beforeOf(place), fileOf(place)]) {
    const run = await runIn(file)
    await rm(file, { force: true })
    if (run !== undefined && run !== '') await store.removeRoot(rootOf(place, run))
  }
}

function fileOf(place: DeploymentPlace): string {
  return join(place, 'wanted')
}

function beforeOf(place: DeploymentPlace): string {
  return join(place, 'wanted-before')
}

/** Name of the root that keeps the packages of a run; several deployments and coordinators may share a store. */
function rootOf(place: DeploymentPlace, run: string): string {
  const hash = createHash('sha256').update(`${place}\n${run}`).digest('hex')
  return `wanted-${hash.slice(0, 32)}`
}

/** Keeps packages, unless they are only on the targets. */
async function keep(store: Pick<Store, 'addRoot'>, root: string, paths: readonly StorePath[]): Promise<void> {
  await store.addRoot(root, paths).catch((error: unknown) => {
    if (!(error instanceof DavitError)) throw error
  })
}

/** Name of the run that a file records; undefined if there is no such file, and empty if it is damaged. */
async function runIn(file: string): Promise<string | undefined> {
  const text = await textOf(file)
  return text === '' ? undefined : (parse(text)?.run ?? '')
}

async function textOf(file: string): Promise<string> {
  return readTextFile(file).catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
}

type Recorded = Omit<WantedRun, 'madeFrom'> & { readonly madeFrom: string }

/** Parses a line about the run, a line with what it was made from, and the manifest. */
function parse(content: string): Recorded | undefined {
  const [, first = '', madeFrom = '', text = ''] = /^(.*)\n(.*)\n([^]*)$/.exec(content) ?? []
  const { run, isTold } = fieldsIn(first)
  return typeof run === 'string' ? { run, isTold: isTold === true, text, madeFrom } : undefined
}

function fieldsIn(line: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function corrupt(file: string): DavitError {
  return new DavitError('corrupt-state', `'${file}' is not a valid record of a run`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'remove it; davit-env --resume -i INFRASTRUCTURE asks the targets instead',
  })
}
