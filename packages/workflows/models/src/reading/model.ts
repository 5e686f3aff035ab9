import { DavitError, type Path, type Place } from '@davit/diagnostics'
import type { PackageModel } from '@davit/normalization'
import { settled } from '@davit/process'
import { type ModelKind, refuseMistaken } from './model-kinds.ts'
import type { Distribution } from './distribution.ts'

/** A model file of the user, in any language. */
export interface Model {
  /** Name of the file, as the user gave it. */
  readonly file: string
  /** Returns what was read for it: the file itself, and what it imports, as far as that is known. */
  sources(): readonly ModelSource[]
  /** Directory that relative paths in the model start from. */
  readonly directory: string
  /** Data with Maps as tables, or the export of a program; undefined for a language that is evaluated elsewhere. */
  readonly value: unknown
  readonly language?: 'nix'
  /** Evaluates a model of such a language, for all systems, as data without packages. */
  evaluate?(known: KnownModels): Promise<unknown>
  /** Returns one of the packages of such a model. */
  packageOf?(wanted: WantedPackage): PackageModel
  /** Place of a path from the root of the file. */
  placeOf(path: Path): Place
  /** Place of the key that the last step of the path names. */
  placeOfKey(path: Path): Place
  /** In data: returns a number, truth value or null as it is written, if its value gives another text. */
  writtenAt?(path: Path): string | undefined
  /** Makes an error from a value that code of this model threw, with the position in the user's file. */
  failureOf(thrown: unknown): DavitError
}

/** A file as it was read. */
export interface ModelSource {
  /** Absolute path. */
  readonly file: string
  readonly text: string
}

/** Values of the models that were evaluated before. */
export interface KnownModels {
  readonly infrastructure?: unknown
  readonly distribution?: Distribution
}

export type WantedPackage = { readonly service: string } | { readonly target: string; readonly index: number }

/** Runs code of a model, and adds the position to its errors. */
export function runModel<Result>(model: Model, code: () => Result): Result {
  try {
    return code()
  } catch (thrown) {
    throw thrown instanceof DavitError ? thrown : model.failureOf(thrown)
  }
}

/** Evaluates a model: returns its value, or the result of its function; refuses a model of another kind. */
export async function evaluateModel(model: Model, how: Evaluation): Promise<unknown> {
  const value = await valueOf(model, how)
  refuseMistaken([{ file: model.file, kind: how.kind, value }])
  return value
}

export interface Evaluation {
  readonly kind: ModelKind
  /** Argument for a function. */
  readonly context: object
  readonly known?: KnownModels
}

async function valueOf(model: Model, { context, known = {} }: Evaluation): Promise<unknown> {
  if (model.evaluate !== undefined) return model.evaluate(known)
  const { value } = model
  if (typeof value !== 'function') return value
  try {
    return await settled(value(context))
  } catch (thrown) {
    throw thrown instanceof DavitError ? thrown : model.failureOf(thrown)
  }
}
