import type { World } from './check-claims.ts'
import { beginningOf } from '../drive/run.ts'
import { isManifestOf } from '../drive/system.ts'
import { type Said, textIn, textsIn } from '../observe/said.ts'
import type { JournalEntry, Survey } from '../observe/survey.ts'

type Check = (said: Said, world: World) => readonly string[]

/** Returns the problem unless the condition is true. */
const unless = (isTrue: boolean, problem: string): readonly string[] => (isTrue ? [] : [problem])

/** Checks for the claims of messages, by their codes. */
export const MESSAGE_CLAIMS: Readonly<Record<string, Check>> = {
  'profile-set': profileSet,
  'generation-added': generationAdded,
  'generation-unchanged': (_, { attempted, coordinator }) =>
    unless(coordinator.manifest === attempted.text, 'its last generation is another one'),
  'activity-planned': (said, { boots }) =>
    textsIn(said, 'reasons').includes('rebooted') ? unless(boots.has(textIn(said, 'target')), 'it was not') : [],
  'all-as-manifest': ({ time }, world) => sameAs(world.attempted.instances.keys(), time, world),
  unchanged,
  'nothing-wanted': settled,
  'no-generations': (_, { coordinator: { generations } }) =>
    unless(generations.length === 0, `there are ${generations.join(', ')}`),
  'deployment-locked': (said, { start }) => unless(isLocked(surveyOf(textIn(said, 'target'), start)), 'it was not'),
  'nothing-there': (said, { start }) =>
    textsIn(said, 'targets')
      .filter((host) => surveyOf(host, start).profile !== '')
      .map((host) => `${host} has a profile`),
  'left-behind': keepsRunning,
  'trial-confirmed': (said, world) => textsIn(said, 'targets').flatMap((host) => hasNew(host, said, world)),
  'trial-was-confirmed': (said, world) => hasNew(textIn(said, 'target'), said, world),
  'trial-went-back': (said, world) => onHost(textIn(said, 'target'), asBefore(said, world)),
  'lock-lost-meanwhile': (_, { reinstalled }) => unless(reinstalled.size > 0, 'nobody has taken it'),
}

/** Checks for the claims of errors that end a tool, by their codes. */
export const ERROR_CLAIMS: Readonly<Record<string, Check>> = {
  'rolled-back': asBefore,
  'transition-failed': (said, world) => [
    ...(textIn(said, 'outcome') === 'old-services-lost' ? newGone(said, world) : []),
    ...remains(said, world),
  ],
  'not-locked': (said, { reinstalled }) =>
    unless(said.tool !== 'davit-lock' || reinstalled.has(textIn(said, 'target')), 'nobody has taken it'),
  'distribution-failed': (said, world) => sentTo(textsIn(said, 'delivered'), world),
  'targets-unreachable': didNothing,
  'not-ours': asBefore,
  'plan-outdated': asBefore,
  'not-confirmed': (said, world) => (said.fields['exitStatus'] === 1 ? asBefore(said, world) : []),
  'not-revertible': asBefore,
  'no-deployment': asBefore,
  'no-generation': (said, world) => [
    ...asBefore(said, world),
    ...unless(world.coordinator.generations.length === 0, `there are ${world.coordinator.generations.join(', ')}`),
  ],
  'nothing-found': (said, world) => [
    ...asBefore(said, world),
    ...unless(
      world.start.every(({ profile }) => profile === ''),
      'there are profiles',
    ),
  ],
  'half-recorded': (said, world) => [...asBefore(said, world), ...halfSet(world)],
  'wanted-unknown': asBefore,
  'contradictory-run': asBefore,
  conflict: asBefore,
  'shared-service': asBefore,
  // Without a hint, the error comes from work that was merely broken off, and claims nothing.
  interrupted: (said, world) => ('hint' in said.fields ? (INTERRUPTED[said.tool]?.(said, world) ?? []) : []),
}

/** Checks for what an interrupted tool says about the remaining state, for each tool that says something. */
const INTERRUPTED: Readonly<Record<string, Check>> = {
  'davit-normalize': asBefore,
  'davit-manifest': asBefore,
  'davit-distribute': (said, world) => [...asBefore(said, world), ...sentTo(textsIn(said, 'delivered'), world)],
  'davit-lock': (_, world) => unlocked(world),
  'davit-activate': asBefore,
  'davit-env': (said, { run: { passed } }) => {
    const tool = textIn(said, 'before')
    // It runs in the beginning and in the end of a run that goes back.
    if (tool === 'davit-generations') return []
    return unless(!changing(passed ?? []).some((point) => point.startsWith(`${tool}:`)), 'that had begun')
  },
}

/** Checks that no run is half done: the system is what it was in the beginning, or what was to be reached. */
function settled({ time }: Said, world: World): readonly string[] {
  const found = [world.before, world.attempted].map(({ instances, profiles }) => [
    ...sameAs(instances.keys(), time, { ...world, rebooted: world.boots }),
    ...world.after
      .filter(({ host, profile }) => profile !== (profiles.get(host) ?? '') && !world.boots.has(host))
      .map(({ host, profile }) => `the profile of ${host} is '${profile}'`),
  ])
  return found.some((problems) => problems.length === 0) ? [] : found.flat()
}

/** Checks that a host runs what was to be reached. */
function hasNew(host: string, { time }: Said, world: World): readonly string[] {
  return onHost(host, sameAs(world.attempted.instances.keys(), time, world))
}

/** Returns the problems with the instances of a host. */
function onHost(host: string, problems: readonly string[]): readonly string[] {
  return problems.filter((problem) => problem.startsWith(`'${host}:`))
}

function isLocked({ leftFiles }: Survey): boolean {
  return leftFiles.some((file) => file.includes('/lock/'))
}

/** Checks that a run has begun to set profiles. */
function halfSet({ after, before }: World): readonly string[] {
  const isSet = after.some(({ host, profile }) => profile !== (before.profiles.get(host) ?? ''))
  return unless(isSet, 'no profile was set')
}

/** Checks what the end of a step claims: that a module was called, or that packages were sent. */
export function stepClaim(said: Said, world: World): readonly string[] {
  const { activity } = said.fields as { activity?: { kind: string; service: string } }
  if (activity !== undefined) return performed({ ...activity, host: textIn(said, 'target'), time: said.time }, world)
  return textIn(said, 'id').startsWith('send ') ? sent(textIn(said, 'target'), world) : []
}

/** Returns the points of steps that change something. Before the lock is taken, davit-activate only looks at the targets. */
function changing(passed: readonly string[]): readonly string[] {
  const locked = passed.findIndex((point) => point.startsWith('davit-lock:'))
  return passed.filter((point, index) => !point.startsWith('davit-activate:') || (locked >= 0 && index > locked))
}

function sent(host: string, { attempted, after, reinstalled }: World): readonly string[] {
  const path = attempted.profiles.get(host) ?? ''
  const isThere = surveyOf(host, after).stored.includes(path.split('/').at(-1) ?? '')
  return unless(isThere || reinstalled.has(host), `'${path}' is not there`)
}

interface Performed {
  readonly kind: string
  readonly service: string
  readonly host: string
  readonly time: bigint
}

/**
 * Checks that the module was called in this run. A service that never started need not be stopped; activities that concern state leave
 * no trace in the journal, and what became of the state is checked in the end.
 */
function performed({ kind, service, host, time }: Performed, { journal, stateAt, names }: World): readonly string[] {
  if (kind !== 'activate' && kind !== 'deactivate') return []
  const event = kind === 'activate' ? 'up' : 'down'
  const isThat = (entry: JournalEntry) =>
    entry.event === event && entry.host === host && entry.service === service && entry.time <= time
  if (journal.some(isThat)) return []
  const { running, busy } = stateAt(time)
  const there = [...running, ...busy.keys()].filter((one) => names.get(one) === service && hostOf(one) === host)
  return unless(event === 'down' && there.length === 0, 'the module knows nothing of it')
}

function profileSet(said: Said, { attempted, after, reinstalled }: World): readonly string[] {
  const host = textIn(said, 'target')
  if (reinstalled.has(host)) return []
  const { profile, generations } = surveyOf(host, after)
  return [
    ...unless(profile === attempted.profiles.get(host), `that is '${profile}'`),
    ...unless(generations.at(-1) === said.fields['generation'], `the generations are ${generations.join(', ')}`),
  ]
}

/** Checks that everything is as in the manifest, and that nothing is left of a lock, which the next run would have to settle. */
function unchanged({ time }: Said, world: World): readonly string[] {
  const { attempted, after, coordinator, reinstalled } = world
  const others = after.filter(({ host, profile }) => !reinstalled.has(host) && profile !== attempted.profiles.get(host))
  const locks = after.flatMap(({ leftFiles }) => leftFiles.filter((file) => file.includes('/lock/')))
  return [
    ...sameAs(attempted.instances.keys(), time, world),
    ...others.map(({ host, profile }) => `the profile of ${host} is '${profile}'`),
    ...unless(coordinator.manifest === attempted.text, 'the last generation is another one'),
    ...unless(locks.length === 0, `there are ${locks.join(', ')}`),
  ]
}

function generationAdded({ fields: { generation } }: Said, { attempted, coordinator }: World): readonly string[] {
  return [
    ...unless(Math.max(...coordinator.generations) === generation, `there are ${coordinator.generations.join(', ')}`),
    ...unless(isManifestOf(attempted, coordinator.manifest), 'that is another manifest'),
  ]
}

/** Checks that everything is as before the run, except activities that were cut off earlier, or that an earlier run still performs. */
function asBefore({ time }: Pick<Said, 'time'>, world: World): readonly string[] {
  if (!world.isAlone) return []
  const { running, busy } = world.stateAt(beginningOf(world.run))
  return sameAs(running, time, world, new Set(busy.keys()))
}

function sameAs(
  wanted: Iterable<string>,
  time: bigint,
  { stateAt, rebooted, boots }: World,
  except: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { running, busy } = stateAt(time)
  const counts = (instance: string) => !except.has(instance) && !rebooted.has(hostOf(instance))
  const expected = [...wanted].filter(counts)
  const found = [...running].filter(counts)
  return [
    ...expected.filter((instance) => !running.has(instance)).map((instance) => `'${instance}' does not run`),
    ...found
      // A rollback activates what was recorded as active before its host was rebooted.
      .filter((instance) => !expected.includes(instance) && !boots.has(hostOf(instance)))
      .map((instance) => `'${instance}' runs`),
    ...[...busy].filter(([instance]) => counts(instance)).map(([instance, what]) => `'${instance}' is still ${what}`),
  ]
}

function keepsRunning(said: Said, { stateAt, names }: World): readonly string[] {
  const running = [...stateAt(said.time).running].filter((one) => hostOf(one) === textIn(said, 'target'))
  const there = new Set(running.map((one) => names.get(one)))
  return textsIn(said, 'services')
    .filter((name) => !there.has(name))
    .map((name) => `'${name}' does not run there`)
}

function newGone({ time }: Said, { stateAt, run, rebooted }: World): readonly string[] {
  const { running: old } = stateAt(beginningOf(run))
  return [...stateAt(time).running]
    .filter((instance) => !old.has(instance) && !rebooted.has(hostOf(instance)))
    .map((instance) => `'${instance}' runs`)
}

interface Named {
  readonly activity: string
  readonly service: string
  readonly target: string
}

/** Activities that an error names as still to be done, and those that may be. */
interface Rest {
  readonly remaining: readonly Named[]
  readonly unknown: readonly Named[]
}

/** Checks that everything not named is either as before the run or as in the manifest, whatever the run was about to do last. */
function remains({ fields, time }: Said, world: World): readonly string[] {
  const { remaining = [], unknown = [] } = fields as Partial<Rest>
  const rest = { remaining, unknown }
  const back = notNamed(rest, world.stateAt(beginningOf(world.run)).running, time, world)
  const on = notNamed(rest, new Set(world.attempted.instances.keys()), time, world)
  return back.length === 0 || on.length === 0 ? [] : back
}

function notNamed(rest: Rest, wanted: ReadonlySet<string>, time: bigint, world: World): readonly string[] {
  const { running } = world.stateAt(time)
  const isAbout = (instance: string, { service, target }: Named) =>
    service === world.names.get(instance) && target === hostOf(instance)
  const isNamed = (instance: string) =>
    rest.unknown.some((one) => isAbout(instance, one)) ||
    rest.remaining.some(
      (one) => one.activity === (wanted.has(instance) ? 'activate' : 'deactivate') && isAbout(instance, one),
    )
  return [...new Set([...wanted, ...running])]
    .filter((instance) => wanted.has(instance) !== running.has(instance) && !world.rebooted.has(hostOf(instance)))
    .filter((instance) => !isNamed(instance))
    .map((instance) => `'${instance}' ${wanted.has(instance) ? 'does not run' : 'runs'}`)
}

/** Checks that the tool has not done what it is there for. */
function didNothing(said: Said, world: World): readonly string[] {
  const isSame = (survey: Survey, index: number) =>
    survey.profile === world.start[index]!.profile || world.reinstalled.has(survey.host)
  if (said.tool === 'davit-activate') return asBefore(said, world)
  if (said.tool === 'davit-set') return unless(world.after.every(isSame), 'a profile is another one')
  if (said.tool === 'davit-lock') return unlocked(world)
  // The end shows what became of state.
  if (said.tool === 'davit-delete-state') return []
  return [`nobody knows what '${said.tool}' would have done`]
}

/** Checks that no lock is left, except those of other runs, which may have died. */
function unlocked({ start, after, isAlone }: World): readonly string[] {
  if (!isAlone) return []
  const locksIn = (surveys: readonly Survey[]) =>
    surveys.flatMap(({ leftFiles }) => leftFiles.filter((file) => file.includes('/lock/')))
  const earlier = locksIn(start)
  const locked = locksIn(after).filter((file) => !earlier.includes(file))
  return unless(locked.length === 0, `there are ${locked.join(', ')}`)
}

function sentTo(hosts: readonly string[], world: World): readonly string[] {
  return hosts.flatMap((host) => sent(host, world))
}

function surveyOf(host: string, surveys: readonly Survey[]): Survey {
  const found = surveys.find((survey) => survey.host === host)
  if (found === undefined) throw new Error(`a run names the host '${host}', which does not exist`)
  return found
}

function hostOf(instance: string): string {
  return instance.split(':', 1)[0] ?? ''
}
