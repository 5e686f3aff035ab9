import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Report } from '@davit/diagnostics'
import { refuseForeign, refuseLink } from '@davit/files'
import {
  baseAndName,
  compareVersions,
  type CompileOutcome,
  FETCHED,
  type FullReference,
  originOf,
  type StackFiles,
  type Workspace,
} from '@davit/stack'
import { syncTrees } from '@davit/store'
import { isAsFetched } from './as-fetched.ts'
import { fittingTags } from './choose-commit.ts'
import { type ChosenTree, chooseTree } from './choose-tree.ts'
import { type Clones, openClones } from './clones.ts'
import { type Git, withoutPassword } from './git.ts'
import { cleanAside, withAside } from './aside.ts'
import { installTree, type Place } from './install-tree.ts'
import { type FieldsOfStack, say } from './messages.ts'
import { fetchedOrigin, type OriginRecord, writeOrigin } from './origin-file.ts'
import { type Overlay, overlay } from './overlay.ts'
import { named, refusal } from './refusal.ts'
import { whyRefused } from './refused-origin.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { type Source, unpackTree } from './stack-tree.ts'

export interface FetchOptions {
  readonly files: StackFiles
  readonly workspace: Workspace
  /** Workspace or home: fetched stacks go below it. */
  readonly root: string
  /** Empty directory for what is needed on the way. */
  readonly temporary: string
  readonly git: Git
  readonly limits: FetchLimits
  readonly report: Report
  /** Looks for newer versions of what was fetched before, too. */
  readonly isUpdate: boolean
  /** Changes nothing below `root`. */
  readonly isDryRun: boolean
  /** Compiles the stack, to find out which references lead nowhere. */
  compile(files: StackFiles): CompileOutcome
}

export interface Fetching {
  readonly options: FetchOptions
  readonly overlay: Overlay
  /** Directory of fetched stacks. */
  readonly fetched: string
  readonly clones: Clones
  /** How many stacks were looked for. */
  tried: number
}

export function openFetching(options: FetchOptions): Fetching {
  const fetched = join(options.root, FETCHED[0])
  if (!options.isDryRun) cleanAside(fetched)
  const seen = overlay(options.files, fetched, { hidesOthers: options.isUpdate })
  return { options, overlay: seen, fetched, clones: openClones(options), tried: 0 }
}

/** Fetches a stack that is what all specs ask for. */
export async function fetchStack(
  fetching: Fetching,
  reference: FullReference,
  specs: readonly string[],
): Promise<void> {
  const { options, overlay: seen } = fetching
  const origin = originOf(reference, options.workspace)
  const why = whyRefused(reference, origin)
  if (why !== undefined) throw refusal(reference, `it is not fetched from '${withoutPassword(origin.url)}': ${why}`)
  const place = placeOf(fetching, reference)
  const source = { git: options.git, clone: await fetching.clones.of(origin) }
  const tree = await chooseTree(source, { name: reference.name, specs, directory: origin.directory })
  const fields = { stack: reference.name, version: versionOf(tree), repository: withoutPassword(origin.url) }
  const before = fetchedOrigin(options.files, pathOf(place))
  if (options.isUpdate && before.commit === tree.commit && (await isAsFetched(source, tree, pathOf(place)))) {
    seen.reveal(pathOf(place))
    options.report(say('stack-is-current', fields))
    return
  }
  await bring(fetching, { reference, place, source, tree })
  warnOfBefore(options, before, { tree, fields })
  for (const directory of tree.submodules)
    options.report(say('submodule-left-out', { stack: reference.name, directory }))
  options.report(say(options.isDryRun ? 'would-fetch' : 'stack-fetched', fields))
  if (tree.otherVersion !== undefined) options.report(say('version-differs', { ...fields, stated: tree.otherVersion }))
}

/** Warns of an update that is not one to a newer version: the tag of before leads elsewhere, or is gone. */
function warnOfBefore(
  { report, isUpdate }: FetchOptions,
  before: Partial<OriginRecord>,
  { tree, fields }: { readonly tree: ChosenTree; readonly fields: FieldsOfStack },
): void {
  if (!isUpdate || before.tag === undefined || tree.tag === undefined) return
  if (before.tag === tree.tag) {
    if (before.commit !== tree.commit) report(say('tag-has-moved', fields))
  } else if (isLower(tree, before.tag)) report(say('stack-goes-back', { ...fields, before: before.tag }))
}

/** Whether the version of a stack is lower than that of another tag. */
function isLower({ tag = '', commit, directory }: ChosenTree, other: string): boolean {
  const tags = [other, tag].map((name) => ({ name, commit }))
  const [highest, lowest] = fittingTags(tags, directory, [])
  return lowest?.name === tag && highest !== undefined && compareVersions(highest.version, lowest.version) > 0
}

/** Goes on with what is there of a stack that could not be fetched. */
export function keepStack(fetching: Fetching, reference: FullReference): void {
  const path = pathOf(placeOf(fetching, reference))
  if (existsSync(path)) fetching.overlay.reveal(path)
}

function placeOf({ fetched }: Fetching, reference: FullReference): Place {
  return { root: fetched, path: baseAndName(reference) }
}

function pathOf({ root, path }: Place): string {
  return join(root, path)
}

function versionOf({ tag, commit }: ChosenTree): string {
  return tag ?? commit.slice(0, 7)
}

interface Delivery {
  readonly reference: FullReference
  readonly place: Place
  readonly source: Source
  readonly tree: ChosenTree
}

/** Unpacks a stack aside, and moves it to its place; a dry run leaves it aside, and reads it there. */
async function bring(fetching: Fetching, { reference, place, source, tree }: Delivery): Promise<void> {
  const { options, overlay: seen } = fetching
  const unpack = async (into: string) => {
    await named(reference, unpackTree(source, tree, into))
    const { commit, tag } = tree
    await writeOrigin(into, { repository: source.clone.url, commit, ...(tag === undefined ? {} : { tag }) })
  }
  if (options.isDryRun) {
    const directory = join(await mkdtemp(join(options.temporary, 'stack-')), 'stack')
    await unpack(directory)
    seen.stage(pathOf(place), directory)
    return
  }
  refuseLink(place.root, pathOf(place))
  refuseForeign(pathOf(place))
  await withAside(place.root, async (aside) => {
    const directory = join(aside, 'stack')
    await unpack(directory)
    options.git.signal.throwIfAborted()
    // What is renamed before it is on the disk could be a whole stack of empty files after a loss of power.
    await syncTrees([directory], aside, options.git.environment)
    await installTree(directory, place, aside)
  })
  seen.reveal(pathOf(place))
}
