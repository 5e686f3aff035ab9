import type { CompiledService, CompiledStack as CompiledDocument } from '@davit/documents'
import { writeJson } from '@davit/languages'
import { compiledDocument, type CompiledStack, finding, placeOf, type StackFinding } from '@davit/stack'

export interface StackChanges {
  /** Properties that cannot change while the service stays: it is replaced. */
  readonly findings: readonly StackFinding[]
  /** Changed properties that interrupt their service. */
  readonly interruptions: readonly { readonly service: string; readonly property: string }[]
}

/** Compares a stack with an earlier one; services that came or went are no changes. */
export function changesSince(
  earlier: CompiledDocument,
  stack: CompiledStack,
  { refusesReplacement }: { readonly refusesReplacement: boolean },
): StackChanges {
  const findings: StackFinding[] = []
  const interruptions: { service: string; property: string }[] = []
  for (const [service, record] of compiledDocument(stack).services) {
    const before = earlier.services.get(service)
    const instance = stack.instances.get(service)
    if (before === undefined || instance === undefined) continue
    const changed = changedIn(before, record)
    for (const property of changed.filter((name) => record.readonly.includes(name))) {
      const { source, offset } = instance.args.get(property) ?? instance.spot
      const told = finding('MU614', [service, property], { place: placeOf({ source, offset }) })
      findings.push(refusesReplacement ? { ...told, severity: 'error' } : told)
    }
    const perturbing = changed.filter((name) => record.perturbs.includes(name) && !record.readonly.includes(name))
    interruptions.push(...perturbing.map((property) => ({ service, property })))
  }
  return { findings, interruptions }
}

function changedIn(before: CompiledService, after: CompiledService): readonly string[] {
  const names = new Set([...before.properties.keys(), ...after.properties.keys()])
  return [...names].filter((name) => textOf(before, name) !== textOf(after, name)).toSorted()
}

function textOf({ properties }: CompiledService, name: string): string {
  return writeJson(properties.get(name) ?? null)
}
