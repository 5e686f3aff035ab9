import { DavitError, ExitStatus, type Finding, firstDiagnostics, type Path } from '@davit/diagnostics'
import { encodeDocument, partialTarget } from '@davit/documents'
import { excessOfYaml, Float, MAX_MODEL_DEPTH, membersOf, writeJson, writeNix, writeYaml } from '@davit/languages'
import { writeProgram } from '@davit/models'
import { type Content, inOrder } from './content.ts'
import type { LANGUAGES } from './description.ts'
import { findUnfit } from './find-unfit.ts'
import { wrongLanguage } from './read-content.ts'

export type Language = (typeof LANGUAGES)[number]

export interface WriteOptions {
  /** Whether paths of the Nix store keep their context in the Nix language. */
  readonly storePaths: boolean
}

export interface Written {
  readonly text: string
  /** What the language cannot contain. */
  readonly leftOut: readonly Finding[]
}

/** Writes content in a language. Throws if the language cannot contain it at all. */
export function writeContent(content: Content, language: Language, options: WriteOptions): Written {
  return WRITERS[language](content, options)
}

type Writer = (content: Content, options: WriteOptions) => Written

const WRITERS: Readonly<Record<Language, Writer>> = {
  xml(content) {
    const { kind, value } = content
    if (kind.format === undefined) throw wrongLanguage(kind)
    return { text: encodeDocument(kind.format, value, 'xml'), leftOut: beyondXml(content) }
  },
  json: ({ kind, value }) => whole(kind.format ? encodeDocument(kind.format, value, 'json') : `${writeJson(value)}\n`),
  yaml(content) {
    const text = writeYaml(dataOf(content))
    const excess = excessOfYaml(text)
    if (excess !== undefined) throw unfit(content, 'YAML', [{ message: excess }])
    return whole(text)
  },
  typescript: (content) => whole(writeProgram(content.kind, dataOf(content))),
  nix(content, { storePaths }) {
    const data = dataOf(content)
    const problems = findUnfit(content.kind, data)
    if (problems.length > 0) throw unfit(content, 'the Nix language', problems)
    return whole(`${writeNix(data, storePaths ? { expressionOf: storePathOf } : {})}\n`)
  },
}

function whole(text: string): Written {
  return { text, leftOut: [] }
}

/** Returns the value as models contain it. */
function dataOf(content: Content): object {
  const { format } = content.kind
  const data = format?.written === undefined ? content.value : format.written(content.value)
  const path = pathBelow(data, MAX_MODEL_DEPTH)
  if (path === undefined) return data as object
  const message = `this value is nested more than ${MAX_MODEL_DEPTH} levels deep`
  throw unfit(content, 'a language of models', [{ path: path.slice(0, MAX_SHOWN), message }])
}

const MAX_SHOWN = 4

/** Finds the path of a table or list that is nested too deeply. */
function pathBelow(value: unknown, levels: number): Path | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Float) return undefined
  if (levels === 0) return []
  for (const [step, member] of membersOf(value)) {
    const inner = pathBelow(member, levels - 1)
    if (inner !== undefined) return [step, ...inner]
  }
  return undefined
}

/** Attributes of targets that have no XML. */
function beyondXml({ kind, value, placeOf }: Content): readonly Finding[] {
  if (kind.name !== 'infrastructure') return []
  return [...(value as ReadonlyMap<string, object>)].flatMap(([name, target]) =>
    Object.keys(target)
      .filter((attribute) => !Object.hasOwn(partialTarget.entries, attribute))
      .map((attribute) => {
        const path = [name, attribute]
        const place = placeOf(path)
        return { path, message: `XML has no attribute '${attribute}' of a target`, ...(place ? { place } : {}) }
      }),
  )
}

const NIX_STORE_PATH = /^\/nix\/store\/[0-9a-z]{32}-[A-Za-z0-9_+?=.-]+$/

function storePathOf(text: string): string | undefined {
  return NIX_STORE_PATH.test(text) ? `builtins.storePath "${text}"` : undefined
}

function unfit({ kind, placeOf }: Content, language: string, problems: readonly Finding[]): DavitError {
  const placed = problems.map((problem) => {
    const place = problem.path === undefined ? undefined : placeOf(problem.path)
    return { ...problem, ...(place === undefined ? {} : { place }) }
  })
  return new DavitError('unfit-for-language', `${kind.title} cannot be written in ${language}`, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: firstDiagnostics(inOrder(placed).map((problem) => ({ severity: 'error', ...problem }))),
    hint: 'write it in another language, such as JSON',
  })
}
