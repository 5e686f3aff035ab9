import { DavitError, ExitStatus, type Finding, firstDiagnostics, type Path } from '@davit/diagnostics'
import { excessOfYaml, Float, MAX_MODEL_DEPTH, membersOf, writeNix, writeYaml } from '@davit/languages'
import { writeProgram } from '@davit/models'
import { type Content, inOrder } from './content.ts'
import { findUnfit } from './find-unfit.ts'
import type { DataLanguage, WriteOptions } from './write-content.ts'

/** Writes content in a language of models. */
export function writeData(content: Content, language: DataLanguage, options: WriteOptions): string {
  return WRITERS[language](content, options)
}

const WRITERS: Readonly<Record<DataLanguage, (content: Content, options: WriteOptions) => string>> = {
  yaml(content) {
    const text = writeYaml(dataOf(content))
    const excess = excessOfYaml(text)
    if (excess !== undefined) throw unfit(content, 'YAML', [{ message: excess }])
    return text
  },
  typescript: (content) => writeProgram(content.kind, dataOf(content)),
  nix(content, { storePaths }) {
    const data = dataOf(content)
    const problems = findUnfit(content.kind, data)
    if (problems.length > 0) throw unfit(content, 'the Nix language', problems)
    return `${writeNix(data, storePaths ? { expressionOf: storePathOf } : {})}\n`
  },
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
