import { posix } from 'node:path'
import { type Place, shellWord } from '@davit/diagnostics'
import { filledParser, parseWritten, sourceText } from '@davit/languages'
import type { Compilation, FileReading, StackFiles } from '../compilation.ts'
import { finding, placeOf, type Spot } from '../finding.ts'
import { languageOf } from '../references/language-of.ts'
import { MUFILES, placesOf, type StackPlace } from '../references/places.ts'
import { originOf } from '../references/origin-of.ts'
import { baseAndName, canonical, type FullReference, withoutSpec } from '../references/reference.ts'
import { isTemplate, scanPlaced, scanTexts, STATED, textsIn } from '../references/scan-metadata.ts'
import { isVersion, parseSpec, satisfies, type Spec } from '../references/spec.ts'
import type { FoundStack, ReadableFile, StackFile } from './stack-file.ts'

export type FindResult =
  | { readonly kind: 'found'; readonly stack: FoundStack }
  | { readonly kind: 'absent' }
  /** Only other versions were found; the first of them. */
  | { readonly kind: 'unfit'; readonly version: string }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }

/** Looks a reference up in all places; the first hit that fits wins. */
export function findStack(c: Compilation, reference: FullReference): FindResult {
  const key = canonical(reference)
  const known = c.found.get(key)
  if (known !== undefined) return known
  const result = search(c, reference)
  c.found.set(key, result)
  if (result.kind === 'found') warnOfName(c, result.stack)
  return result
}

function search(c: Compilation, reference: FullReference): FindResult {
  const spec = parseSpec(reference.spec) ?? { kind: 'latest' }
  let first: string | undefined
  for (const hit of hitsOf(c, reference)) {
    if (hit.kind === 'unreadable') return hit
    if (fits(spec, hit.file)) return { kind: 'found', stack: found(hit.file, reference) }
    first ??= hit.file.stated.get('version') ?? ''
  }
  return first === undefined ? { kind: 'absent' } : { kind: 'unfit', version: first }
}

type Hit = { readonly kind: 'file'; readonly file: ReadableFile } | (FindResult & { readonly kind: 'unreadable' })

/** Returns the files of a reference in all places, one after the other. */
function* hitsOf(c: Compilation, reference: FullReference): Generator<Hit> {
  const { files, roots, workspace } = c.options
  for (const place of placesOf(reference, roots, workspace.namespace)) {
    for (const name of MUFILES) {
      const path = posix.join(place.directory, name)
      const reading = readIn(place, path, files)
      if (reading.kind === 'unreadable') yield { kind: 'unreadable', path, reason: reading.reason }
      if (reading.kind === 'text') yield { kind: 'file', file: enterFile(c, { path, text: reading.text, place }) }
    }
  }
}

/** Reads a file, unless it was fetched and there is a link on the way: it may have come with the workspace, and lead anywhere. */
function readIn({ fetchedIn }: StackPlace, path: string, files: StackFiles): FileReading {
  const reading = files.read(path)
  if (fetchedIn === undefined || reading.kind === 'absent') return reading
  const link = files.linkWithin(fetchedIn, path)
  if (link === undefined) return reading
  const reason = `'${files.shown(link)}' is a link, and links among fetched stacks are not followed: remove it with rm ${shellWord(link)}`
  return { kind: 'unreadable', reason }
}

interface FoundText {
  readonly path: string
  readonly text: string
  readonly place: StackPlace
}

/** Returns the file of a path, which is read once. */
function enterFile(c: Compilation, { path, text, place }: FoundText): ReadableFile {
  const known = c.files.get(path)
  if (known !== undefined) return known
  const commit = place.fetchedIn !== undefined ? commitIn(c, place.directory) : undefined
  const file = stackFile(c, { path, text, boundary: place.boundary, commit })
  c.files.set(path, file)
  return file
}

export function stackFile(
  { options }: Compilation,
  { path, text, boundary, commit }: Pick<StackFile, 'path' | 'text' | 'boundary' | 'commit'>,
): ReadableFile {
  const language = languageOf(path)
  const shown = options.files.shown(path)
  const whole = text.replace(/^\uFEFF/, '')
  const plain = isTemplate(whole) ? undefined : parseWritten(whole, { file: shown, language })
  return {
    path,
    shown,
    text: whole,
    language,
    boundary,
    commit,
    plain,
    stated: plain === undefined ? scanTexts(whole, language, STATED) : textsIn(plain, STATED),
    readings: new Map(),
    parse: filledParser({ file: shown, language }),
  }
}

/** Reads the record that davit-fetch-stacks leaves beside what it fetched. */
function commitIn({ options }: Compilation, directory: string): string | undefined {
  const reading = options.files.read(posix.join(directory, '.origin.json'))
  if (reading.kind !== 'text') return undefined
  const commit = scanTexts(reading.text, 'json', new Set(['commit'])).get('commit')
  return commit !== undefined && isVersion(commit) ? commit : undefined
}

function fits(spec: Spec, { stated, commit }: StackFile): boolean {
  return satisfies(spec, { version: stated.get('version'), commit })
}

function found(file: ReadableFile, reference: FullReference): FoundStack {
  const spec = file.stated.get('version') ?? file.commit ?? reference.spec
  return { file, reference, pinned: `${withoutSpec(reference)}@${spec}` }
}

function warnOfName(c: Compilation, { file, reference }: FoundStack): void {
  const name = file.stated.get('name')
  if (name === undefined || name === reference.name) return
  c.findings.push(finding('MU105', [name, reference.name], { place: placeOfName(file) }))
}

function placeOfName({ shown, text, language }: StackFile): Place {
  const offset = scanPlaced(text, language, new Set(['name'])).get('name')?.offset ?? 0
  return sourceText(text, shown).placeAt(offset)
}

export interface Wanted {
  readonly spot: Spot
  /** Says what may have been meant, if there is no such stack. */
  readonly hint?: string | undefined
  /** The stack of which the reference may be a schema. */
  readonly owner?: FullReference | undefined
}

/** Finds the stack of a reference, or reports why there is none. */
export function requireStack(c: Compilation, reference: FullReference, wanted: Wanted): FoundStack | undefined {
  const { spot, hint, owner } = wanted
  const result = findStack(c, reference)
  if (result.kind === 'found') return isOnlyOne(c, result.stack, spot) ? result.stack : undefined
  if (result.kind === 'unreadable') {
    c.findings.push(finding('MU150', [result.path], { place: placeOf(spot), hint: result.reason }))
    return undefined
  }
  c.missing.set(canonical(reference), { reference, owner })
  if (result.kind === 'absent')
    c.report('MU503', [canonical(reference)], { spot, hint: hint ?? whereToLook(c, reference) })
  else c.report('MU605', [reference.name, reference.spec, result.version], { spot })
  return undefined
}

/** Says where a stack could come from. */
function whereToLook({ options }: Compilation, reference: FullReference): string {
  if (reference.base.startsWith('.')) return 'references are no paths: they name directories below the workspace'
  return originOf(reference, options.workspace).isNamed
    ? '`repositories` of the workspace says where it is: davit-fetch-stacks fetches it'
    : 'no directory of the workspace has it, and no entry of its `repositories` is for it'
}

/** Refuses a second file of the same base and name. */
function isOnlyOne(c: Compilation, { file, reference }: FoundStack, spot: Spot): boolean {
  const key = baseAndName(reference)
  const known = c.pathsOfNames.get(key)
  if (known === undefined) c.pathsOfNames.set(key, file.path)
  if (known === undefined || known === file.path) return true
  const message = `'${reference.name}' occurs twice: references lead to different versions of it`
  c.report('MU502', [reference.name], { spot, message })
  return false
}
