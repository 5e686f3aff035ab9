import type { CompiledService, CompiledStack as CompiledDocument } from '@davit/documents'
import { writeJson } from '@davit/languages'
import {
  compiledDocument,
  type CompiledStack,
  finding,
  type Instance,
  placeOfValue,
  type StackFinding,
  stackOf,
} from '@davit/stack'

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
  for (const { service, instance, before, after } of pairsOf(earlier, stack)) {
    const changed = changedIn(before, after)
    const declared = stackOf(instance).properties
    const isReadonly = (name: string) => declared.get(name)?.isReadonly === true
    for (const property of changed.filter(isReadonly)) {
      const told = finding('MU614', [service, property], { place: placeOfValue(instance, property) })
      findings.push(refusesReplacement ? { ...told, severity: 'error' } : told)
    }
    const perturbing = changed.filter((name) => declared.get(name)?.perturbs === true && !isReadonly(name))
    interruptions.push(...perturbing.map((property) => ({ service, property })))
  }
  return { findings, interruptions }
}

type Bound = Pick<CompiledService, 'properties'>

interface Pair {
  readonly service: string
  readonly instance: Instance
  readonly before: Bound
  readonly after: Bound
}

/** The stack itself, and the services that there are before and after. */
function pairsOf(earlier: CompiledDocument, stack: CompiledStack): readonly Pair[] {
  const { name, services, ...root } = compiledDocument(stack)
  const isSame = earlier.name === name
  const own = isSame ? [{ service: name, instance: stack.root, before: earlier, after: root }] : []
  const others = [...services].flatMap(([service, after]) => {
    const [before, instance] = [earlier.services.get(service), stack.instances.get(service)]
    return before === undefined || instance === undefined ? [] : [{ service, instance, before, after }]
  })
  return [...own, ...others]
}

function changedIn(before: Bound, after: Bound): readonly string[] {
  const names = new Set([...before.properties.keys(), ...after.properties.keys()])
  return [...names].filter((name) => textOf(before, name) !== textOf(after, name)).toSorted()
}

function textOf({ properties }: Bound, name: string): string {
  return writeJson(properties.get(name) ?? null)
}
