import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import type { NixOptions } from './nix/nix-options.ts'
import { EXTRA_PARAMETERS, programOf, runProgram } from './nix/run-program.ts'
import { memberOf } from '../reading/part.ts'
import { plainValueOf } from '../reading/plain.ts'

/** Additional arguments for functions of models: the text of a JSON object or of a Nix set, or the values themselves. */
export type ExtraParameters = string | Readonly<Record<string, unknown>>

export interface ParametersForModels {
  /** Values for programs; of a Nix set, its data. */
  readonly values: Readonly<Record<string, unknown>>
  /** JSON for models in the Nix language. */
  readonly json: string
  /** Parameters that were written in the Nix language, unchanged. */
  readonly expressions: ReadonlyMap<string, string>
}

export async function parametersForModels(
  parameters: ExtraParameters = {},
  options: NixOptions & { readonly needsValues: boolean },
): Promise<ParametersForModels> {
  if (typeof parameters !== 'string') {
    return { values: parameters, json: JSON.stringify(parameters), expressions: new Map() }
  }
  const json = parseJson(parameters)
  if (json.kind === 'value') {
    if (!isTable(json.value)) throw invalid('it is not an object')
    return { values: json.value, json: parameters, expressions: new Map() }
  }
  const expressions = new Map([[EXTRA_PARAMETERS, parameters]])
  const values = options.needsValues ? await evaluated(expressions, { ...options, reason: json.reason }) : {}
  return { values, json: '{}', expressions }
}

function parseJson(text: string): { readonly kind: 'value'; readonly value: unknown } | NotJson {
  try {
    return { kind: 'value', value: JSON.parse(text) }
  } catch (error) {
    return { kind: 'other', reason: error instanceof Error ? error.message : String(error) }
  }
}

interface NotJson {
  readonly kind: 'other'
  readonly reason: string
}

async function evaluated(
  expressions: ReadonlyMap<string, string>,
  { reason, ...options }: NixOptions & { readonly reason: string },
): Promise<Readonly<Record<string, unknown>>> {
  const { showTrace } = options
  const program = programOf('value', { input: {}, expressions, showFile: (path) => path, showTrace })
  const result = await runProgram(program, { ...options, store: 'read-only' }).catch((error: unknown) => {
    if (!(error instanceof DavitError)) throw error
    throw error.code === 'nix-not-found' ? invalid(reason) : invalid('Nix cannot evaluate it', error.diagnostics)
  })
  const values = plainValueOf(memberOf(result, 'value'))
  if (!isTable(values)) throw invalid('it is not a set')
  return values
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(reason: string, diagnostics: readonly Diagnostic[] = []): DavitError {
  return new DavitError('invalid-parameters', `cannot read --extra-params: ${reason}`, {
    exitStatus: ExitStatus.usage,
    hint: `write a JSON object, '{"port": 8080}', or, with Nix, a set: '{ port = 8080; }'`,
    diagnostics,
  })
}
