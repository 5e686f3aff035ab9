import type { Claim, World } from './check-claims.ts'
import { beginningOf } from './run.ts'
import type { JournalEntry, Survey } from './survey.ts'

type Check = (claim: Claim, world: World) => readonly string[]

/** What is the matter when it is not so. */
const unless = (isTrue: boolean, problem: string): readonly string[] => (isTrue ? [] : [problem])

/** Each wording in which a tool says what was done, or what was not, and whether it is true. The first that fits counts. */
export const CLAIMS: readonly (readonly [RegExp, Check])[] = [
  [
    /^\[(\S+)\] send (?:\d+ packages? \(.*\)|packages \(all are there\)): done/,
    ({ parts: [host] }, world) => sent(host!, world),
  ],
  [/^\[(\S+)\] ((?:de)?activate) (\S+) in \S+: done/, performed],
  [/^\[(\S+)\] generation (\d+) of the profile$/, profileSet],
  [/^generation (\d+) on the coordinator$/, generationAdded],
  [
    /^the coordinator has this generation already$/,
    (_, { attempted, coordinator }) =>
      unless(coordinator.manifest === attempted.text, 'its last generation is another one'),
  ],
  [
    /^(?:de)?activate \S+ in \S+ on (\S+) \(.*the machine was restarted/,
    ({ parts: [host] }, { boots }) => unless(boots.has(host!), 'it was not'),
  ],
  [
    /^nothing to do: all services are as the manifest says$/,
    ({ time }, world) => sameAs(world.attempted.instances.keys(), time, world),
  ],
  [/^warning: (.*) keeps? running on '(\S+)', which is no longer in the infrastructure: /, keepsRunning],
  [/^davit-activate: the transition (?:failed|was interrupted): all is as it was before /, asBefore],
  [
    /^davit-activate: .*: the new services are gone, and (?:not all of the old ones could|it is not known whether) /,
    newGone,
  ],
  [/^hint: the same command goes on from here; (what .*)$/, remains],
  // What is left of these is in the hint.
  [/^davit-activate: .*: not all of the new services could be deactivated \[/, () => []],
  [/^davit-activate: .*: it is not known whether all of the new services are gone \[/, () => []],
  [/^davit-activate: .*: the lock was lost, and nothing more was done \[/, () => []],
  [
    /^warning: the lock was lost meanwhile$/,
    (_, { reinstalled }) => unless(reinstalled.size > 0, 'nobody has taken it'),
  ],
  [
    /^davit-lock: the lock of profile '\S+' on target '(\S+)' is gone \[not-locked\]$/,
    ({ parts: [host] }, { reinstalled }) => unless(reinstalled.has(host!), 'nobody has taken it'),
  ],
  [
    /^hint: nothing was activated; (?:(.*) (?:has all its|have all their) packages)?.*the same command sends /,
    onlySent,
  ],
  [/^hint: it left no lock: /, (_, world) => unlocked(world)],
  [/^hint: (?:nothing was begun on the targets|no target was touched|nothing was done)[:;] /, asBefore],
  [/^hint: this step did nothing; /, didNothing],
  [/^davit-distribute: packages did not reach (.*) \[/, othersSent],
  [
    /^davit-env: interrupted before (\S+) \[interrupted\]$/,
    ({ parts: [tool] }, { run: { passed } }) =>
      unless(!changing(passed ?? []).some((point) => point.startsWith(`${tool}:`)), 'that had begun'),
  ],
]

/** Points of steps that change something: before the first deployment, davit-activate looks at the targets as well. */
function changing(passed: readonly string[]): readonly string[] {
  const locked = passed.findIndex((point) => point.startsWith('davit-lock:'))
  return passed.filter((point, index) => !point.startsWith('davit-activate:') || (locked >= 0 && index > locked))
}

function sent(host: string, { attempted, after, reinstalled }: World): readonly string[] {
  const path = attempted.profiles.get(host) ?? ''
  const isThere = surveyOf(host, after).stored.includes(path.split('/').at(-1) ?? '')
  return unless(isThere || reinstalled.has(host), `'${path}' is not there`)
}

/** By the module, in this run; what was never begun is not there, and need not be stopped. */
function performed(claim: Claim, { journal, stateAt, names }: World): readonly string[] {
  const {
    parts: [host, activity, service],
    time,
  } = claim
  const event = activity === 'activate' ? 'up' : 'down'
  const isThat = (entry: JournalEntry) =>
    entry.event === event && entry.host === host && entry.service === service && entry.time <= time
  if (journal.some(isThat)) return []
  const { running, busy } = stateAt(time)
  const there = [...running, ...busy.keys()].filter((one) => names.get(one) === service && hostOf(one) === host)
  return unless(event === 'down' && there.length === 0, 'the module knows nothing of it')
}

function profileSet(
  { parts: [host = '', generation] }: Claim,
  { attempted, after, reinstalled }: World,
): readonly string[] {
  if (reinstalled.has(host)) return []
  const { profile, generations } = surveyOf(host, after)
  return [
    ...unless(profile === attempted.profiles.get(host), `that is '${profile}'`),
    ...unless(generations.at(-1) === Number(generation), `the generations are ${generations.join(', ')}`),
  ]
}

function generationAdded({ parts: [number] }: Claim, { attempted, coordinator }: World): readonly string[] {
  return [
    ...unless(
      Math.max(...coordinator.generations) === Number(number),
      `there are ${coordinator.generations.join(', ')}`,
    ),
    ...unless(coordinator.manifest === attempted.text, 'that is another manifest'),
  ]
}

/** What an earlier run had begun, and was cut off, may be gone; what one goes on to do is not this one's. */
function asBefore({ time }: Claim, world: World): readonly string[] {
  if (!world.isAlone) return []
  const { running, busy } = world.stateAt(beginningOf(world.run))
  return sameAs(running, time, world, new Set(busy.keys()))
}

function sameAs(
  wanted: Iterable<string>,
  time: bigint,
  { stateAt, rebooted }: World,
  except: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { running, busy } = stateAt(time)
  const counts = (instance: string) => !except.has(instance) && !rebooted.has(hostOf(instance))
  const expected = [...wanted].filter(counts)
  const found = [...running].filter(counts)
  return [
    ...expected.filter((instance) => !running.has(instance)).map((instance) => `'${instance}' does not run`),
    ...found.filter((instance) => !expected.includes(instance)).map((instance) => `'${instance}' runs`),
    ...[...busy].filter(([instance]) => counts(instance)).map(([instance, what]) => `'${instance}' is still ${what}`),
  ]
}

function keepsRunning({ parts: [list = '', host], time }: Claim, { stateAt, names }: World): readonly string[] {
  const there = new Set([...stateAt(time).running].filter((one) => hostOf(one) === host).map((one) => names.get(one)))
  return [...list.matchAll(/'([^']+)'/g)]
    .filter(([, name]) => !there.has(name))
    .map(([, name]) => `'${name}' does not run there`)
}

function newGone({ time }: Claim, { stateAt, run, rebooted }: World): readonly string[] {
  const { running: old } = stateAt(beginningOf(run))
  return [...stateAt(time).running]
    .filter((instance) => !old.has(instance) && !rebooted.has(hostOf(instance)))
    .map((instance) => `'${instance}' runs`)
}

/** All that nobody doubts is either as before the run or as the manifest says, whatever the run was about to do last. */
function remains({ parts: [list = ''], time }: Claim, world: World): readonly string[] {
  const back = notNamed(list, world.stateAt(beginningOf(world.run)).running, time, world)
  const on = notNamed(list, new Set(world.attempted.instances.keys()), time, world)
  return back.length === 0 || on.length === 0 ? [] : back
}

function notNamed(list: string, wanted: ReadonlySet<string>, time: bigint, world: World): readonly string[] {
  const { running } = world.stateAt(time)
  const isNamed = (activity: string, instance: string) =>
    list.includes(`${activity} '${world.names.get(instance)}' on '${hostOf(instance)}'`)
  return [...new Set([...wanted, ...running])]
    .filter((instance) => wanted.has(instance) !== running.has(instance) && !world.rebooted.has(hostOf(instance)))
    .filter((instance) => !list.includes(`whether '${world.names.get(instance)}' on '${hostOf(instance)}' runs`))
    .filter((instance) => !isNamed(wanted.has(instance) ? 'activate' : 'deactivate', instance))
    .map((instance) => `'${instance}' ${wanted.has(instance) ? 'does not run' : 'runs'}`)
}

/** Of what the tool that says so is there for. */
function didNothing({ tool, time }: Claim, world: World): readonly string[] {
  if (tool === 'davit-activate') return asBefore({ parts: [], time, tool, message: '' }, world)
  const isSame = (survey: Survey, index: number) =>
    survey.profile === world.start[index]!.profile || world.reinstalled.has(survey.host)
  if (tool === 'davit-set') return unless(world.after.every(isSame), 'a profile is another one')
  if (tool === 'davit-lock') return unlocked(world)
  return [`nobody knows what '${tool}' would have done`]
}

/** But for locks of others, which have died perhaps. */
function unlocked({ start, after, isAlone }: World): readonly string[] {
  if (!isAlone) return []
  const locksIn = (surveys: readonly Survey[]) =>
    surveys.flatMap(({ leftFiles }) => leftFiles.filter((file) => file.includes('/lock/')))
  const earlier = locksIn(start)
  const locked = locksIn(after).filter((file) => !earlier.includes(file))
  return unless(locked.length === 0, `there are ${locked.join(', ')}`)
}

function onlySent(claim: Claim, world: World): readonly string[] {
  const named = [...world.attempted.profiles.keys()].filter((host) => claim.parts[0]?.includes(`'${host}'`))
  return [...asBefore(claim, world), ...named.flatMap((host) => sent(host, world))]
}

function othersSent({ parts: [list = ''] }: Claim, world: World): readonly string[] {
  return [...world.attempted.profiles.keys()]
    .filter((host) => !list.includes(`'${host}'`))
    .flatMap((host) => sent(host, world))
}

function surveyOf(host: string, surveys: readonly Survey[]): Survey {
  const found = surveys.find((survey) => survey.host === host)
  if (found === undefined) throw new Error(`a run speaks of '${host}', which is none of the hosts`)
  return found
}

function hostOf(instance: string): string {
  return instance.split(':', 1)[0] ?? ''
}
