import { DavitError, ExitStatus, firstDiagnostics } from '@davit/diagnostics'
import { findUnfitForNix, hasFloat, writeJson, writeNix, writeTypeScript, writeYaml } from '@davit/languages'

/** Languages in which any model that is data can be written. */
export const MODEL_LANGUAGES = ['yaml', 'json', 'typescript', 'nix'] as const
type Language = (typeof MODEL_LANGUAGES)[number]

export interface WrittenKind {
  /** Name in messages, with its article. */
  readonly title: string
  /** Function of the module `davit` that types it. */
  readonly definition?: string
}

/** Writes a model in a language. Throws `unfit-for-language` if it would be read back as something else. */
export function writeModel(kind: WrittenKind, data: object, language: Language): string {
  return WRITERS[language](kind, data)
}

const WRITERS: Readonly<Record<Language, (kind: WrittenKind, data: object) => string>> = {
  yaml: (_, data) => writeYaml(data),
  json: (_, data) => `${writeJson(data)}\n`,
  typescript: writeProgram,
  nix({ title }, data) {
    const problems = findUnfitForNix(data)
    if (problems.length === 0) return `${writeNix(data)}\n`
    throw new DavitError('unfit-for-language', `${title} cannot be written in the Nix language`, {
      exitStatus: ExitStatus.badDocument,
      diagnostics: firstDiagnostics(problems.map((problem) => ({ severity: 'error', ...problem }))),
      hint: 'write it in another language, such as JSON',
    })
  },
}

/** Writes a program in TypeScript that exports a model. */
export function writeProgram({ definition }: Pick<WrittenKind, 'definition'>, data: object): string {
  const names = [...(definition === undefined ? [] : [definition]), ...(hasFloat(data) ? ['float'] : [])]
  const imports = names.length === 0 ? '' : `import { ${names.join(', ')} } from 'davit'\n\n`
  const expression = writeTypeScript(data)
  return `${imports}export default ${definition === undefined ? expression : `${definition}(${expression})`}\n`
}
