import { messages, note, warning } from '@davit/diagnostics'

const SERVICE = { service: 'text', target: 'text' } as const
const PLACED = { ...SERVICE, container: 'text' } as const
/** Kinds of the reasons, and their texts. */
const REASONS = { reasons: 'texts', why: 'texts' } as const

export const say = messages({
  'activity-planned': note({ ...PLACED, activity: 'text', step: 'text', ...REASONS }, stepText),
  'kept-outdated': note({ ...PLACED, ...REASONS }, (kept) => `${keptText(kept)}: --restart-changed restarts it`),
  'record-gone': note(
    SERVICE,
    ({ service, target }) =>
      `no record of service '${service}' is left on target '${target}': if it still runs, stop it by hand`,
  ),
  'left-behind': warning(
    { services: 'texts', target: 'text' },
    ({ services, target }) =>
      `${keepText(services)} running on '${target}', which is no longer in the infrastructure: put ${target} back without services, deploy, then remove it, or run 'davit-env --forget ${target}'`,
  ),
  'left-unreachable': warning(
    { services: 'texts', target: 'text' },
    ({ services, target }) => `${keepText(services)} running on '${target}', which cannot be reached`,
  ),
  'not-activated': warning(SERVICE, (placed) => `${nameOf(placed)} is not activated`),
  'not-upgraded': warning(SERVICE, (placed) => `${nameOf(placed)} is not upgraded`),
  'left-active': warning({ ...SERVICE, others: 'texts' }, ({ others, ...placed }) => {
    const twice =
      others.length === 0 ? '' : `, in addition to the one on ${others.map((target) => `'${target}'`).join(', ')}`
    return `${nameOf(placed)} is left active${twice}`
  }),
  'dependency-missing': warning(
    { ...SERVICE, dependency: 'text', dependencyTarget: 'text' },
    ({ dependency, dependencyTarget, ...placed }) =>
      `${nameOf(placed)} depends on ${nameOf({ service: dependency, target: dependencyTarget })}, which is missing or outdated`,
  ),
  'dependency-stopped': warning(
    { ...SERVICE, dependencyTarget: 'text' },
    ({ dependencyTarget, ...placed }) =>
      `${nameOf(placed)} depends on a service on '${dependencyTarget}' that is stopped or replaced`,
  ),
})

interface Explained {
  readonly why: readonly string[]
}

/** Text of a step of a plan, with the target and the reasons. */
export function stepText({
  step,
  target,
  why,
}: Explained & { readonly step: string; readonly target: string }): string {
  return `${step} on ${target} (${why.join('; ')})`
}

/** Text for a service that is left active, with its changed settings. */
export function keptText({
  service,
  container,
  target,
  why,
}: Explained & Readonly<Record<keyof typeof PLACED, string>>) {
  return `keep ${service} in ${container} on ${target} unchanged (${why.join('; ')})`
}

function nameOf({ service, target }: Readonly<Record<keyof typeof SERVICE, string>>): string {
  return `'${service}' on '${target}'`
}

const NAMED = 5

function keepText(services: readonly string[]): string {
  const names = services.map((name) => `'${name}'`)
  const more = names.length - NAMED
  if (more > 1) return `${names.slice(0, NAMED).join(', ')} and ${more} others keep`
  return names.length === 1 ? `${names[0]} keeps` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} keep`
}
