import { DavitError, type Path, type Place } from '@davit/diagnostics'
import type { PackageModel } from '@davit/normalization'
import { settled } from '@davit/process'
import { type ModelKind, refuseMistaken } from './model-kinds.ts'
import type { Distribution } from './distribution.ts'

/** What a file of the user says, in whatever language. */
export interface Model {
  /** As the user named it. */
  readonly file: string
  /** That relative paths in the model begin at. */
  readonly directory: string
  /** Data with Maps as tables, or what a program exports; nothing in a language that is evaluated elsewhere. */
  readonly value: unknown
  readonly language?: 'nix'
  /** What a model says that is evaluated elsewhere, for all systems, as data without its packages ... */
  evaluate?(known: KnownModels): Promise<unknown>
  /** ... and one of those packages. */
  packageOf?(wanted: WantedPackage): PackageModel
  /** Of a path from the root of the file. */
  placeOf(path: Path): Place
  /** Of the key that the last step of the path names. */
  placeOfKey(path: Path): Place
  /** What code of this model threw, with the position in the user's file. */
  failureOf(thrown: unknown): DavitError
}

/** What the models before it say. */
export interface KnownModels {
  readonly infrastructure?: unknown
  readonly distribution?: Distribution
}

export type WantedPackage = { readonly service: string } | { readonly target: string; readonly index: number }

/** Runs code of a model. */
export function runModel<Result>(model: Model, code: () => Result): Result {
  try {
    return code()
  } catch (thrown) {
    throw thrown instanceof DavitError ? thrown : model.failureOf(thrown)
  }
}

/** What a model says as one of this kind: itself, or what it returns when it is a function. */
export async function evaluateModel(model: Model, how: Evaluation): Promise<unknown> {
  const value = await valueOf(model, how)
  refuseMistaken([{ file: model.file, kind: how.kind, value }])
  return value
}

export interface Evaluation {
  readonly kind: ModelKind
  /** For a function. */
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
