import type { Diagnostic, Path, Place } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { Data } from '@davit/languages'
import { nearestPlace, type TargetModel } from '@davit/normalization'

import { loadArchitecture, type LoadOptions } from './load-architecture.ts'
import { withoutOptions } from './load-infrastructure.ts'
import { dataOf } from './reading/data-of.ts'
import { TARGET_ATTRIBUTES } from './reading/read-infrastructure.ts'

/** A target as a person wrote it: what the model leaves out is absent. */
export interface GivenTarget extends TargetModel {
  /** Attributes that davit does not read, as far as they are data. */
  readonly attributes: ReadonlyMap<string, Data>
}

export interface GivenTargets {
  readonly targets: ReadonlyMap<TargetName, GivenTarget>
  readonly warnings: readonly Diagnostic[]
  /** Place of what a path from the name of a target leads to; of the innermost value around it, if that is not written. */
  placeOf(path: Path): Place | undefined
}

/** Loads the targets of an infrastructure model without any defaults. */
export async function loadTargets(file: string, options: LoadOptions): Promise<GivenTargets> {
  let raw: unknown
  const tellTargets = (targets: unknown) => void (raw = targets)
  const model = await loadArchitecture({ infrastructure: file }, { ...options, tellTargets }).catch(
    (error: unknown) => {
      throw withoutOptions(error)
    },
  )
  const { data } = dataOf(raw, file)
  const targets = [...model.infrastructure].map(([name, target]) => {
    return [name, { ...target, attributes: otherAttributes(memberOf(data, name)) }] as const
  })
  return {
    targets: new Map(targets),
    warnings: model.warnings ?? [],
    placeOf(path) {
      const place = nearestPlace(['infrastructure', ...path], model.placeOf)
      return place && { ...place, path: undefined }
    },
  }
}

function memberOf(data: Data | undefined, name: string): Data | undefined {
  return data instanceof Map ? (data as ReadonlyMap<string, Data>).get(name) : undefined
}

function otherAttributes(target: Data | undefined): ReadonlyMap<string, Data> {
  const attributes = target instanceof Map ? [...(target as ReadonlyMap<string, Data>)] : []
  return new Map(attributes.filter(([name]) => !TARGET_ATTRIBUTES.includes(name)))
}
