import { encodeDocument, InfrastructureModel, partialTarget, type TargetName } from '@davit/documents'
import { MODEL_LANGUAGES, writeModel } from '@davit/models'

import type { CompletedTarget } from './completed-target.ts'

/** Languages in which an infrastructure model can be written. */
export const INFRASTRUCTURE_LANGUAGES = [...MODEL_LANGUAGES, 'xml'] as const
export type InfrastructureLanguage = (typeof INFRASTRUCTURE_LANGUAGES)[number]
type Targets = ReadonlyMap<TargetName, CompletedTarget>

/** Writes an infrastructure model. Throws `unfit-for-language` if it would be read back as something else. */
export function writeInfrastructure(targets: Targets, language: InfrastructureLanguage): string {
  if (language === 'xml' || language === 'json') return encodeDocument(InfrastructureModel, targets, language)
  return writeModel({ title: 'an infrastructure model', definition: 'defineInfrastructure' }, targets, language)
}

/** Attributes of targets that a language cannot contain. */
export function attributesBeyond(
  targets: Targets,
  language: InfrastructureLanguage,
): readonly (readonly [TargetName, string])[] {
  if (language !== 'xml') return []
  return [...targets].flatMap(([name, target]) =>
    Object.keys(target).flatMap((attribute) =>
      Object.hasOwn(partialTarget.entries, attribute) ? [] : [[name, attribute] as const],
    ),
  )
}
