import { messages, note, warning } from '@davit/diagnostics'

const SERVICE = { service: 'text', target: 'text' } as const
const PLACED = { ...SERVICE, container: 'text' } as const
/** Kinds of the reasons, and their texts. */
const REASONS = { reasons: 'texts', why: 'texts' } as const

export const say = messages({
  /**
   * A service will be activated or deactivated, for these reasons. Shown as a note unless the only reason is a change
   * in the manifest.
   */
  'activity-planned': note({ ...PLACED, activity: 'text', step: 'text', ...REASONS }, stepText),
  /** A service keeps running with settings that differ from the manifest. `--restart-changed` restarts it. */
  'kept-outdated': note({ ...PLACED, ...REASONS }, (kept) => `${keptText(kept)}: --restart-changed restarts it`),
  /** A service that was deployed on a target no longer has a record there. If it still runs, stop it by hand. */
  'record-gone': note(
    SERVICE,
    ({ service, target }) =>
      `no record of service '${service}' is left on target '${target}': if it still runs, stop it by hand`,
  ),
  /**
   * Services keep running on a target that was removed from the infrastructure. Add the target again without services
   * and deploy, or run `davit-env --forget TARGET`.
   */
  'left-behind': warning(
    { services: 'texts', target: 'text' },
    ({ services, target }) =>
      `${keepText(services)} running on '${target}', which is no longer in the infrastructure: put '${target}' back without services, deploy, then remove it, or run 'davit-env --forget ${target}'`,
  ),
  /**
   * The state of a service stays on a target that was removed from the infrastructure, and the service begins without it. Once
   * the target is back in the infrastructure, `davit-migrate -o OLD` moves it, with a manifest that had it there.
   */
  'state-skipped': warning(
    SERVICE,
    ({ service, target }) => `Skip state of '${service}' on '${target}', which is no longer in the infrastructure`,
  ),
  /** Services that were left behind keep running on a target that cannot be reached. Deploy again when it can. */
  'left-unreachable': warning(
    { services: 'texts', target: 'text' },
    ({ services, target }) => `${keepText(services)} running on '${target}', which cannot be reached`,
  ),
  /** A service is not active on a target that was skipped. Deploy again when the target can be reached. */
  'not-activated': warning(SERVICE, (placed) => `${nameOf(placed)} is not activated`),
  /**
   * An old version of a service keeps running on a target that was skipped. Deploy again when the target can be
   * reached.
   */
  'not-upgraded': warning(SERVICE, (placed) => `${nameOf(placed)} is not upgraded`),
  /**
   * A service keeps running on a skipped target although it should no longer run there; it may run elsewhere as well.
   * Deploy again when the target can be reached.
   */
  'left-active': warning({ ...SERVICE, others: 'texts' }, ({ others, ...placed }) => {
    const twice =
      others.length === 0 ? '' : `, in addition to the one on ${others.map((target) => `'${target}'`).join(', ')}`
    return `${nameOf(placed)} is left active${twice}`
  }),
  /**
   * A service depends on another one that is missing or outdated, on a target that was skipped. Deploy again when that
   * target can be reached.
   */
  'dependency-missing': warning(
    { ...SERVICE, dependency: 'text', dependencyTarget: 'text' },
    ({ dependency, dependencyTarget, ...placed }) =>
      `${nameOf(placed)} depends on ${nameOf({ service: dependency, target: dependencyTarget })}, which is missing or outdated`,
  ),
  /**
   * A service on a skipped target keeps running, but a service that it depends on was stopped or replaced. Deploy again
   * when the target can be reached.
   */
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
  activity,
  step,
  target,
  why,
}: Explained & { readonly activity: string; readonly step: string; readonly target: string }): string {
  return `${step} ${activity === 'transfer' ? 'from' : 'on'} ${target} (${why.join('; ')})`
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
