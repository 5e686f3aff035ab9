import { posix } from 'node:path'
import { quoted } from '@davit/diagnostics'
import {
  ActionFailure,
  expandTemplate,
  MissingField,
  type ParsedTemplate,
  parseTemplate,
  TemplateError,
  type TemplateFile,
  type TemplateValue,
} from '@davit/go-template'
import { type FilledText, type Placing, sourceText, type Written, type WrittenReading } from '@davit/languages'
import type { Compilation } from '../compilation.ts'
import { finding, placeOf, type Spot } from '../finding.ts'
import type { Body } from '../mufile/body.ts'
import { readBody } from '../mufile/read-body.ts'
import { METADATA } from '../references/scan-metadata.ts'
import { valueOf } from '../values/stack-value.ts'
import { howToGive } from '../values/argument-hints.ts'
import { badMarkup } from './bad-markup.ts'
import type { ReadableFile, StackFile } from './stack-file.ts'

/** Arguments of an instance, as they are written. */
export type Bag = ReadonlyMap<string, Written>

export interface ReadFor {
  readonly bag: Bag
  /** The service that the stack is read for, if there is one. */
  readonly user?: { readonly name: string; readonly spot: Spot } | undefined
  /** Whether it is read for the command line. */
  readonly isRoot?: true
}

/**
 * Expands and reads a stack file for an instance; undefined if it cannot be read, which is reported. Instances whose expansion is equal
 * share what is read.
 */
export function readStack(c: Compilation, file: ReadableFile, use: ReadFor): Body | undefined {
  const { plain } = file
  if (plain !== undefined) return shared(file, file.text, () => readWritten(c, file, plain))
  const expanded = expand(c, file, use)
  if (expanded === undefined) return undefined
  const { filled, placing } = expanded
  return shared(file, filled.text, () => readWritten(c, file, file.parse(filled, placing)))
}

function shared({ readings }: ReadableFile, text: string, read: () => Body | undefined): Body | undefined {
  if (readings.has(text)) return readings.get(text)
  const body = read()
  readings.set(text, body)
  return body
}

function readWritten(c: Compilation, file: ReadableFile, reading: WrittenReading): Body | undefined {
  if (reading.kind === 'invalid') {
    c.findings.push(badMarkup(file, reading.problems[0]))
    return undefined
  }
  FILES.set(reading.root.source, file)
  let isWrong = false
  const body = readBody(reading.root, file, (code, subjects, at) => {
    c.report(code, subjects, at)
    isWrong ||= code !== 'MU104'
  })
  return isWrong ? undefined : body
}

const FILES = new WeakMap<Placing, StackFile>()

/** Returns the stack file in which a value is written; undefined for the command line. */
export function fileOf({ source }: Written): StackFile | undefined {
  return FILES.get(source)
}

interface ExpandedText {
  readonly filled: FilledText
  readonly placing: Placing
}

function expand(c: Compilation, file: ReadableFile, use: ReadFor): ExpandedText | undefined {
  const { bag, user } = use
  const properties = new Map([...bag].map(([name, written]) => [name, valueOf(written)]))
  try {
    const template = (file.template ??= parseTemplate({ name: file.shown, text: file.text }))
    const variables = new Map<string, TemplateValue>()
    const context = new Map<string, TemplateValue>([
      ...c.context,
      ['Properties', properties],
      ['args', properties],
      ['meta', metaOf(file)],
      ['Vars', variables],
    ])
    const include = (from: TemplateFile, path: string) => included(c, file, { from, path })
    const expansion = expandTemplate(template, context, { include, variables, all: c.templateSteps })
    const placing: Placing = {
      placeAt(offset) {
        const place = expansion.place(offset)
        return sourceOf(place.file).placeAt(place.offset)
      },
    }
    return { filled: { text: expansion.text, slots: expansion.printed }, placing }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const { place, message } = error
    const at = sourceOf(place.file).placeAt(place.offset)
    c.findings.push(
      finding('MU153', [], { place: at, message, hint: joined(...hintsOf(error, properties, use), hintFor(user)) }),
    )
    return undefined
  }
}

/** Properties have defaults, which nobody knows before the template is expanded. */
function hintsOf({ hint, cause }: TemplateError, given: ReadonlyMap<string, TemplateValue>, { user, isRoot }: ReadFor) {
  if (!(cause instanceof MissingField) || cause.map !== given) return [hint]
  const { field } = cause
  const argument = isRoot ? howToGive(field) : user && `give service '${user.name}' a '${field}'`
  const way = `templates see arguments as they are given, without defaults: write {{orElse .args "${field}" DEFAULT}}`
  const ways = argument === undefined ? [way] : [argument, `or, since ${way}`]
  return given.size === 0 ? ways : [...ways, `given: ${[...given.keys()].toSorted().map(quoted).join(', ')}`]
}

function joined(...hints: readonly (string | undefined)[]): string | undefined {
  const present = hints.filter((hint) => hint !== undefined)
  return present.length === 0 ? undefined : present.join('; ')
}

function hintFor(user: ReadFor['user']): string | undefined {
  if (user === undefined) return undefined
  const { file, line } = placeOf(user.spot)
  return `this is the stack of service '${user.name}', ${file}:${line ?? 1}`
}

function metaOf({ stated }: StackFile): ReadonlyMap<string, TemplateValue> {
  return new Map([...stated].filter(([key]) => METADATA.has(key)))
}

const SOURCES = new WeakMap<TemplateFile, Placing>()

/** Lines are counted once for each file. */
function sourceOf(file: TemplateFile): Placing {
  const known = SOURCES.get(file)
  if (known !== undefined) return known
  const source = sourceText(file.text, file.name)
  SOURCES.set(file, source)
  return source
}

interface Inclusion {
  readonly from: TemplateFile
  readonly path: string
}

const PATHS = new WeakMap<TemplateFile, string>()

/** Reads an included file, relative to the one that includes it, within the boundary of the stack. */
function included(c: Compilation, file: ReadableFile, { from, path }: Inclusion): ParsedTemplate {
  const { files } = c.options
  const whole = posix.resolve(posix.dirname(PATHS.get(from) ?? file.path), path)
  refuseOutside(c, file, { whole, path })
  const known = c.included.get(whole)
  if (known !== undefined) return known
  const reading = files.read(whole)
  if (reading.kind === 'absent') throw new ActionFailure(`there is no file '${path}'`)
  if (reading.kind === 'unreadable') throw new ActionFailure(`cannot read '${path}': ${reading.reason}`)
  const included = { name: files.shown(whole), text: reading.text.replace(/^\uFEFF/, '') }
  PATHS.set(included, whole)
  const template = parseTemplate(included)
  c.included.set(whole, template)
  return template
}

function refuseOutside(
  c: Compilation,
  { boundary }: ReadableFile,
  { whole, path }: { whole: string; path: string },
): void {
  const { files } = c.options
  const within = (child: string, parent: string) => child.startsWith(parent.endsWith('/') ? parent : `${parent}/`)
  const real = files.realPath(whole)
  const realBoundary = files.realPath(boundary) ?? boundary
  if (within(whole, boundary) && (real === undefined || within(real, realBoundary))) return
  throw new ActionFailure(`'${path}' is outside of '${files.shown(boundary)}'`)
}
