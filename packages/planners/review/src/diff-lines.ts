import { compareServices, type ServiceChange } from '@davit/comparison'
import { nameText } from '@davit/diagnostics'
import type { PlanDocument } from '@davit/documents'
import { inOrderOfNames } from '@davit/languages'

/** A line of what changes in a service: `-` is gone, `+` is new, `~` differs. */
export interface DiffLine {
  readonly sign: '-' | '+' | '~'
  readonly text: string
}

/** How a service differs from what is active. */
export interface ServiceDiff {
  readonly service: string
  readonly lines: readonly DiffLine[]
}

/** Tells what changes in services that were there before. Of properties, it gives the names only: values may be secret. */
export function diffLines(plan: ComparedPlan): readonly ServiceDiff[] {
  const changed = inOrderOfNames(changedServices(plan), ({ service }) => service)
  return changed.map(({ service, changes }) => ({ service, lines: changes.flatMap(linesOf) }))
}

/** Services that differ from what is active, in order of names. */
export function changedServices(plan: ComparedPlan) {
  const { manifest, before } = plan
  const compared = compareServices({ ...manifest, ...before }, manifest, { among: concernedIn(plan) })
  return compared.flatMap((one) => (one.kind === 'changed' ? [one] : []))
}

type ComparedPlan = Pick<PlanDocument, 'manifest' | 'before' | 'steps' | 'kept'>

/** Names of services that may differ; comparing all would take longer than to plan. */
function concernedIn({ manifest, before, steps, kept }: ComparedPlan): ReadonlySet<string> {
  const providers = [...manifest.services.values(), ...before.services.values()].filter(
    ({ providesContainers }) => providesContainers.size > 0,
  )
  return new Set([...[...steps, ...kept].map(({ service }) => service), ...providers.map(({ name }) => name)])
}

function linesOf(change: ServiceChange): readonly DiffLine[] {
  switch (change.kind) {
    case 'package':
    case 'type':
      return [gone(`${change.kind}: ${fileName(change.from)}`), added(`${change.kind}: ${fileName(change.to)}`)]
    case 'moved':
      return [gone(placeText(change.from)), added(placeText(change.to))]
    case 'place-added':
      return [added(placeText(change.place))]
    case 'place-removed':
      return [gone(placeText(change.place))]
    case 'provider':
      return [changed(`${placeText(change.place)}: another provider of the container`)]
    case 'provides':
      return change.fields.map(({ path, from, to }) => {
        const text = `provides container ${path.map(nameText).join('/')}`
        return from === undefined ? added(text) : to === undefined ? gone(text) : changed(text)
      })
    case 'key':
      return [changed('its key, for a reason that the manifests do not show')]
    default:
      return dependencyLines(change)
  }
}

type DependencyChange = Extract<ServiceChange, { readonly kind: `${'depends-on' | 'connects-to'}${string}` }>

function dependencyLines(change: DependencyChange): readonly DiffLine[] {
  const words = change.kind.startsWith('depends') ? 'depends on' : 'connects to'
  if ('services' in change) return [changed(`${words} ${change.services.join(', ')}, which changed`)]
  const text = (one: (typeof change.added)[number]) => `${words} ${one.service} ${placeText(one)}`
  return [...change.removed.map((one) => gone(text(one))), ...change.added.map((one) => added(text(one)))]
}

function gone(text: string): DiffLine {
  return { sign: '-', text }
}

function added(text: string): DiffLine {
  return { sign: '+', text }
}

function changed(text: string): DiffLine {
  return { sign: '~', text }
}

function placeText({ target, container }: { readonly target: string; readonly container: string }): string {
  return `in ${container} on ${target}`
}

function fileName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}
