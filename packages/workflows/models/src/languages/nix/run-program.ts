import type { ExpressionProgram } from '@davit/documents'
import { evaluate } from '@davit/nix'
import { environment } from '@davit/process'
import { glueFile } from '../../shipped.ts'
import type { ShowFile } from '../show-file.ts'
import { decodeData } from './decode.ts'
import type { NixOptions } from './nix-options.ts'

export interface ProgramInput {
  readonly input: Readonly<Record<string, unknown>>
  /** The user's parameters in the Nix language. */
  readonly expressions: ReadonlyMap<string, string>
  readonly showFile: ShowFile
  readonly showTrace?: boolean | undefined
}

export const EXTRA_PARAMETERS = 'extraParams'

/** Returns one of davit's programs; messages show the option instead of the name of its expression. */
export function programOf(
  name: Parameters<typeof glueFile>[0],
  { input, expressions, showFile, showTrace = false }: ProgramInput,
): ExpressionProgram {
  return {
    file: glueFile(name),
    input,
    expressions,
    showTrace,
    showFile: (path) => (path === EXTRA_PARAMETERS ? '--extra-params' : showFile(path)),
  }
}

/** Runs a program and decodes its result. */
export async function runProgram(
  program: ExpressionProgram,
  { store, environment: given, signal, report }: NixOptions & { readonly store: 'read-only' | 'read-write' },
): Promise<unknown> {
  const value = await evaluate({
    program,
    store,
    environment: given ?? environment(),
    ...(signal === undefined ? {} : { signal }),
    ...(report === undefined ? {} : { report }),
  })
  return decodeData(value)
}
