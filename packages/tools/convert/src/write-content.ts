import { DavitError, ExitStatus, type Finding, firstDiagnostics } from '@davit/diagnostics'
import { encodeDocument, partialTarget } from '@davit/documents'
import { hasFloat, writeJson, writeNix, writeTypeScript, writeYaml } from '@davit/languages'
import { type Content, inOrder } from './content.ts'
import type { LANGUAGES } from './description.ts'
import type { Kind } from './kinds.ts'
import { findUnfitForNix } from './find-unfit-for-nix.ts'
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
  yaml: (content) => whole(writeYaml(dataOf(content))),
  typescript: (content) => whole(typescriptOf(content.kind, dataOf(content))),
  nix(content, { storePaths }) {
    const data = dataOf(content)
    const problems = findUnfitForNix(content.kind, data)
    if (problems.length > 0) throw unfitForNix(content, problems)
    return whole(`${writeNix(data, storePaths ? { expressionOf: storePathOf } : {})}\n`)
  },
}

function whole(text: string): Written {
  return { text, leftOut: [] }
}

function dataOf({ kind: { format }, value }: Content): object {
  return (format?.written === undefined ? value : format.written(value)) as object
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

function typescriptOf({ definition }: Kind, data: object): string {
  const names = [...(definition === undefined ? [] : [definition]), ...(hasFloat(data) ? ['float'] : [])]
  const imports = names.length === 0 ? '' : `import { ${names.join(', ')} } from 'davit'\n\n`
  const expression = writeTypeScript(data)
  return `${imports}export default ${definition === undefined ? expression : `${definition}(${expression})`}\n`
}

const NIX_STORE_PATH = /^\/nix\/store\/[0-9a-z]{32}-[A-Za-z0-9_+?=.-]+$/

function storePathOf(text: string): string | undefined {
  return NIX_STORE_PATH.test(text) ? `builtins.storePath "${text}"` : undefined
}

function unfitForNix({ kind, placeOf }: Content, problems: readonly Finding[]): DavitError {
  const placed = problems.map((problem) => {
    const place = problem.path === undefined ? undefined : placeOf(problem.path)
    return { ...problem, ...(place === undefined ? {} : { place }) }
  })
  return new DavitError('unfit-for-nix', `${kind.title} cannot be written in the Nix language`, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: firstDiagnostics(inOrder(placed).map((problem) => ({ severity: 'error', ...problem }))),
    hint: 'write it in another language',
  })
}
