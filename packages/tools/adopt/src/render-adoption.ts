import type { AdoptedTarget } from '@davit/adoption'
import { printableLines } from '@davit/diagnostics'
import { writeJson } from '@davit/languages'

/** Renders what was adopted, or would be, for people. */
export function renderAdoption(targets: readonly AdoptedTarget[]): string {
  const lines = targets.flatMap(({ target, original, services, snapshots }) => [
    `${target}: ${original}`,
    ...services.map(({ name, mapping, state }) => {
      return `  '${name}' in container '${mapping.container}'${state === 'present' ? ' (adopted before)' : ''}`
    }),
    ...snapshots.map(({ container, component, name }) => `  snapshot ${container}/${component}/${name}`),
  ])
  return printableLines(lines)
}

export interface AdoptionToEncode {
  readonly profile: string
  readonly isDryRun: boolean
  readonly targets: readonly AdoptedTarget[]
}

/** Encodes the same as a document in JSON. */
export function encodeAdoption({ profile, isDryRun, targets }: AdoptionToEncode): string {
  const encoded = targets.map(({ target, original, services, snapshots }) => ({
    target,
    original,
    services: services.map(({ name, mapping: { service: key, container }, state }) => ({
      name,
      key,
      container,
      state,
    })),
    snapshots,
  }))
  return `${writeJson({ document: 'adoption', version: 1, profile, isDryRun, targets: encoded })}\n`
}
