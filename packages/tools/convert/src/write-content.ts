import type { Finding } from '@davit/diagnostics'
import { encodeDocument, partialTarget } from '@davit/documents'
import { writeJson } from '@davit/languages'
import type { Content } from './content.ts'
import type { LANGUAGES } from './description.ts'
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
export async function writeContent(content: Content, language: Language, options: WriteOptions): Promise<Written> {
  return WRITERS[language](content, options)
}

type Writer = (content: Content, options: WriteOptions) => Written | Promise<Written>

const WRITERS: Readonly<Record<Language, Writer>> = {
  xml(content) {
    const { kind, value } = content
    if (kind.format === undefined) throw wrongLanguage(kind)
    return { text: encodeDocument(kind.format, value, 'xml'), leftOut: beyondXml(content) }
  },
  json: ({ kind, value }) => whole(kind.format ? encodeDocument(kind.format, value, 'json') : `${writeJson(value)}\n`),
  yaml: asData('yaml'),
  typescript: asData('typescript'),
  nix: asData('nix'),
}

/** Languages of models. What is needed to write them takes time to load. */
export type DataLanguage = Exclude<Language, 'xml' | 'json'>

function asData(language: DataLanguage): Writer {
  return async (content, options) => whole((await import('./write-data.ts')).writeData(content, language, options))
}

function whole(text: string): Written {
  return { text, leftOut: [] }
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
