import { resolve } from 'node:path'
import type { Path, Place } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { placeInProgram } from '@davit/nix'
import { type Distribution, readDistribution } from '../../reading/distribution.ts'
import type { ParametersForModels } from '../extra-parameters.ts'
import type { KnownModels, Model } from '../../reading/model.ts'
import type { FunctionContexts, ParameterNames } from '../../reading/function-context.ts'
import { memberOf } from '../../reading/part.ts'
import { type ByRole, type Role, ROLE_NAMES, ROLES, rolesIn } from '../../reading/roles.ts'
import { showLike } from '../show-file.ts'
import { encodeData } from './encode.ts'
import type { NixOptions } from './nix-options.ts'
import { positionOf } from './positions.ts'
import { type ProgramInput, programOf, runProgram } from './run-program.ts'

export interface EvaluationContext extends NixOptions {
  readonly system: System
  readonly targetProperty: string
  readonly parameters: ParametersForModels
  readonly noteNames: FunctionContexts['noteNames']
  /** Free attributes of services to read in any case. */
  readonly freeAttributes?: readonly string[] | undefined
  /** Set if all attributes of targets are needed. */
  readonly tellTargets?: unknown
}

/** Evaluates the models in the Nix language, together as far as possible. */
export interface NixEvaluation {
  /** Returns the value of a model without its packages, as data. */
  valueOf(role: Role, known: KnownModels): Promise<unknown>
  placeOf(role: Role, path: Path): Place
  /** Returns the input for another of davit's programs that loads the same models. */
  programInput(more: Readonly<Record<string, unknown>>): ProgramInput
}

export function nixEvaluation(models: ByRole<Model>, context: EvaluationContext): NixEvaluation {
  const { system, targetProperty, parameters, noteNames, freeAttributes, tellTargets, ...options } = context
  const files = Object.values(models).flatMap((model) => (model.language === 'nix' ? [model.file] : []))
  const showFile = showLike(files)
  const results = new Map<Role, unknown>()
  const { expressions } = parameters
  const places = programOf('metadata', { input: {}, expressions, showFile })
  let known: KnownModels = knownFromStart(models)

  function programInput(more: Readonly<Record<string, unknown>>): ProgramInput {
    const input = { models: sourcesOf(models, known), extraParams: parameters.json, targetProperty, system, ...more }
    return { input, expressions, showFile, showTrace: options.showTrace }
  }
  async function evaluateReady(): Promise<void> {
    const wanted = ROLE_NAMES.filter((role) => !results.has(role) && isReady(role, models, known))
    const asked = attributesAsked(models, { freeAttributes, tellTargets })
    const program = programOf('metadata', programInput({ wanted, ...asked }))
    const result = await runProgram(program, { ...options, store: 'read-only' })
    noteNames(namesIn(memberOf(result, 'parameters')))
    for (const role of wanted) results.set(role, memberOf(result, role))
  }
  return {
    programInput,
    async valueOf(role, more) {
      known = { ...known, ...more }
      if (!results.has(role)) await evaluateReady()
      return memberOf(results.get(role), 'value')
    },
    placeOf(role, path) {
      const position = positionOf(memberOf(results.get(role), 'positions'), path)
      const place = position && placeInProgram(position, places)
      return place ?? { file: models[role]?.file ?? '' }
    },
  }
}

/** Programs in other languages may read all attributes of targets. */
function attributesAsked(
  models: ByRole<Model>,
  { freeAttributes: attributes = [], tellTargets }: Pick<EvaluationContext, 'freeAttributes' | 'tellTargets'>,
) {
  return { attributes, isComplete: tellTargets !== undefined || Object.values(models).some(isProgram) }
}

function namesIn(parameters: unknown): ParameterNames {
  const named = (name: string) => memberOf(parameters, name) as readonly string[]
  return { given: named('given'), asked: named('asked') }
}

function isReady(role: Role, models: ByRole<Model>, known: KnownModels): boolean {
  if (models[role]?.language !== 'nix') return false
  const needs: readonly (keyof KnownModels)[] = ROLES[role].needs
  return needs.every(
    (need) => known[need] !== undefined || models[need] === undefined || models[need].language === 'nix',
  )
}

/** Data is known without evaluation; programs in other languages are evaluated later. */
function knownFromStart({ infrastructure, distribution }: ByRole<Model>): KnownModels {
  const { value: targets } = infrastructure ?? {}
  const placements = distribution?.value instanceof Map ? namedPlacements(distribution.value) : undefined
  return {
    ...(targets === undefined || typeof targets === 'function' ? {} : { infrastructure: targets }),
    ...(placements === undefined ? {} : { distribution: placements }),
  }
}

function namedPlacements(value: unknown): Distribution {
  const nowhere = () => ({ file: '' })
  const origin = { problems: [], seen: { parts: 0 }, directory: '', placeOf: nowhere, placeOfKey: nowhere }
  const nameOf = (target: unknown) => (typeof target === 'string' ? target : undefined)
  return readDistribution({ value, path: [], origin }, { targets: new Map(), nameOf })
}

/** Returns, for each model, the file or the value that davit's programs read. */
function sourcesOf(models: ByRole<Model>, { infrastructure, distribution }: KnownModels): ReadonlyMap<string, unknown> {
  const isNix = (role: Role) => models[role]?.language === 'nix'
  const files = rolesIn(models).filter(([role]) => isNix(role))
  return new Map<string, unknown>([
    ...files.map(([role, { file }]) => [role, { file: resolve(file) }] as const),
    ...(isNix('infrastructure') ? [] : [['infrastructure', { value: encodeData(infrastructure) }] as const]),
    ...(isNix('distribution') ? [] : [['distribution', { placements: distribution }] as const]),
  ])
}

function isProgram(model: Model): boolean {
  return typeof model.value === 'function'
}
