import { resolve } from 'node:path'
import { DavitError, ExitStatus, type Finding, type Path, type Place } from '@davit/diagnostics'
import { withTemporaryDirectory } from '@davit/files'
import type { Data } from '@davit/languages'
import { placeInProgram } from '@davit/nix'
import { loadModel } from './languages/load-models.ts'
import type { NixOptions } from './languages/nix/nix-options.ts'
import { parsePosition, positionOf } from './languages/nix/positions.ts'
import { programOf, runProgram } from './languages/nix/run-program.ts'
import { showLike } from './languages/show-file.ts'
import { dataOf, type StrangeValue } from './reading/data-of.ts'
import { type Model, runModel } from './reading/model.ts'
import { memberOf } from './reading/part.ts'

/** The value of a file as data, whatever it describes. */
export interface PlainData {
  readonly data: Data
  /** Values that are not data, such as functions, and so were left out. */
  readonly leftOut: readonly Finding[]
  /** Place of a path; of a program only the file is known. */
  placeOf(path: Path): Place
}

/** Evaluates a file in TypeScript, JavaScript or the Nix language to data. Throws `invalid-model` if it is a function. */
export async function loadPlainData(file: string, options: NixOptions = {}): Promise<PlainData> {
  return withTemporaryDirectory(options.environment ?? {}, async (directory) => {
    const model = await loadModel(file, directory)
    return model.language === 'nix' ? evaluateNix(model, options) : fromProgram(model)
  })
}

function fromProgram(model: Model): PlainData {
  const { file, placeOf } = model
  const { data, strange } = runModel(model, () => dataOf(model.value, file))
  const leftOut = strange.map(({ path, what }) => finding({ path, what }, placeOf(path)))
  if (data === undefined) throw notData(file, leftOut)
  return { data, leftOut, placeOf }
}

/** Evaluates a file in the Nix language; derivations become their output paths, and nothing is written to the store. */
async function evaluateNix({ file }: Model, options: NixOptions): Promise<PlainData> {
  const program = programOf('data', {
    input: { file: resolve(file) },
    expressions: new Map(),
    showFile: showLike([file]),
    showTrace: options.showTrace,
  })
  const result = await runProgram(program, { ...options, store: 'read-only' })
  const { data, strange } = dataOf(memberOf(result, 'value'), file)
  const positions = memberOf(result, 'positions')
  const placeOf = (path: Path): Place => {
    const position = positionOf(positions, path)
    return (position && placeInProgram(position, program)) ?? { file }
  }
  const leftOut = [
    ...strangeIn(result).map(({ at, ...one }) => {
      const position = parsePosition(at)
      return finding(one, (position && placeInProgram(position, program)) ?? { file })
    }),
    ...strange.map((one) => finding(one, placeOf(one.path))),
  ]
  if (data === undefined || data === null) throw notData(file, leftOut)
  return { data, leftOut, placeOf }
}

/** What the program in the Nix language found. */
function strangeIn(result: unknown): readonly (StrangeValue & { readonly at: string | null })[] {
  const list = (memberOf(result, 'strange') ?? []) as readonly unknown[]
  return list.map((one) => ({
    path: memberOf(one, 'path') as Path,
    what: NIX_TYPES.get(memberOf(one, 'what')) ?? 'no data',
    at: memberOf(one, 'at') as string | null,
  }))
}

const NIX_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['lambda', 'a function'],
  ['path', 'a path'],
  ['null', 'nothing (null)'],
])

function finding({ path, what }: StrangeValue, place: Place): Finding {
  return { path, place, message: `expected data, but got ${what}` }
}

function notData(file: string, found: readonly Finding[]): DavitError {
  return new DavitError('invalid-model', `'${file}' is not data`, {
    exitStatus: ExitStatus.badDocument,
    diagnostics: found.map((one) => ({ severity: 'error', ...one })),
    hint: 'a function has a value only when it is called: convert a file that contains the value',
  })
}
