import type { StorePath, TargetName } from '@davit/documents'

/** What a run told a target before it began. */
export interface Told {
  readonly path: StorePath
  /** Number of the run's lock there; later runs have higher ones. */
  readonly number: number
  /** How many targets were to be told. */
  readonly targets: number
  /** The same on all targets. */
  readonly token: string
  /** Whether another profile was the current one then. */
  readonly isNew: boolean
}

/** What a target knows of runs. */
export interface ToldTarget<One extends Told = Told> {
  readonly target: TargetName
  /** The current profile. */
  readonly current: StorePath | undefined
  readonly told: readonly One[]
  /** Whether runs from other coordinators tell it as well; they cannot if it is reached through a client executable. */
  readonly isToldByAll: boolean
}

export type Wanted<One extends Told = Told> =
  /** Whatever was begun has been reached. */
  | { readonly kind: 'nothing' }
  /** So many targets were to be told, and only these tell of it: others may have lost it. */
  | { readonly kind: 'incomplete'; readonly targets: number; readonly told: readonly TargetName[] }
  /** The targets do not agree on how many were to be told, so that nobody can tell whether the run had begun. */
  | { readonly kind: 'contradictory'; readonly told: ReadonlyMap<TargetName, number> }
  | {
      readonly kind: 'run'
      readonly profiles: ReadonlyMap<TargetName, One>
      /** Targets on which the profile is current that was new to them: services are active, and what is deployed is being recorded. */
      readonly recorded: readonly TargetName[]
      /** Targets that have a profile of the deployment, and of which the run says nothing. */
      readonly without: readonly TargetName[]
    }

/** Finds what the last run that had begun was about to reach. A run begins when all its targets have been told. */
export function wantedRun<One extends Told>(targets: readonly ToldTarget<One>[]): Wanted<One> {
  for (const run of runsIn(targets)) {
    const told = [...run.keys()]
    const [count = 0, ...others] = new Set([...run.values()].map((one) => one.targets))
    if (others.length > 0) return contradictory(run)
    const missing = count - told.length
    if (missing <= 0) return reaching(run, targets)
    // Targets that know of something else may not have been told yet.
    const perhaps = targets.filter((one) => one.isToldByAll && !run.has(one.target) && isKnown(one))
    if (perhaps.length < missing) return { kind: 'incomplete', targets: told.length + missing, told }
  }
  return { kind: 'nothing' }
}

function contradictory(run: Run<Told>): Wanted<never> {
  return { kind: 'contradictory', told: new Map([...run].map(([target, one]) => [target, one.targets])) }
}

function isKnown({ current, told }: ToldTarget): boolean {
  return current !== undefined || told.length > 0
}

/** Targets that know of something later than a manifest with these profiles. */
export function targetsBeyond(
  profiles: ReadonlyMap<TargetName, StorePath>,
  targets: readonly ToldTarget[],
): readonly TargetName[] {
  return targets
    .filter((one) => {
      const latest = latestOn(one)
      return latest !== undefined && latest !== profiles.get(one.target)
    })
    .map(({ target }) => target)
}

function latestOn({ current, told }: ToldTarget): StorePath | undefined {
  return told.toSorted((one, other) => other.number - one.number)[0]?.path ?? current
}

type Run<One> = ReadonlyMap<TargetName, One>

function reaching<One extends Told>(run: Run<One>, targets: readonly ToldTarget<One>[]): Wanted<One> {
  const current = new Map(targets.map((one) => [one.target, one.current]))
  const reached = [...run].filter(([target, { path }]) => current.get(target) === path)
  if (reached.length === run.size) return { kind: 'nothing' }
  const recorded = reached.filter(([, { isNew }]) => isNew).map(([target]) => target)
  const without = targets.filter((one) => one.current !== undefined && !run.has(one.target))
  return { kind: 'run', profiles: run, recorded, without: without.map(({ target }) => target) }
}

/** All runs of which targets tell, the last one first. */
function runsIn<One extends Told>(targets: readonly ToldTarget<One>[]): readonly Run<One>[] {
  const runs = new Map<string, Map<TargetName, One>>()
  for (const { target, told } of targets) {
    for (const one of told) runs.set(one.token, (runs.get(one.token) ?? new Map<TargetName, One>()).set(target, one))
  }
  return [...runs.values()].toSorted(lastFirst)
}

/** Compares the numbers of locks where both runs had one: each target counts for itself. */
function lastFirst<One extends Told>(one: Run<One>, other: Run<One>): number {
  const [common] = [...one.keys()].filter((target) => other.has(target))
  if (common === undefined) return 0
  return (other.get(common)?.number ?? 0) - (one.get(common)?.number ?? 0)
}
