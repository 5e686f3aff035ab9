import type { World } from './check-claims.ts'
import { beginningOf } from '../drive/run.ts'
import { type Said, textIn, textsIn } from '../observe/said.ts'
import type { JournalEntry, Survey } from '../observe/survey.ts'

type Check = (said: Said, world: World) => readonly string[]

/** What is the matter when it is not so. */
const unless = (isTrue: boolean, problem: string): readonly string[] => (isTrue ? [] : [problem])

/** What a message claims to have been done, or not, by its code. */
export const MESSAGE_CLAIMS: Readonly<Record<string, Check>> = {
  'profile-set': profileSet,
  'generation-added': generationAdded,
  'generation-unchanged': (_, { attempted, coordinator }) =>
    unless(coordinator.manifest === attempted.text, 'its last generation is another one'),
  'activity-planned': (said, { boots }) =>
    textsIn(said, 'reasons').includes('rebooted') ? unless(boots.has(textIn(said, 'target')), 'it was not') : [],
  'all-as-manifest': ({ time }, world) => sameAs(world.attempted.instances.keys(), time, world),
  'left-behind': keepsRunning,
  'lock-lost-meanwhile': (_, { reinstalled }) => unless(reinstalled.size > 0, 'nobody has taken it'),
}

/** The same of the error that ends a tool. */
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
  'no-deployment': asBefore,
  conflict: asBefore,
  // What only broke off because of it has no advice, and claims nothing.
  interrupted: (said, world) => ('hint' in said.fields ? (INTERRUPTED[said.tool]?.(said, world) ?? []) : []),
}

/** What each tool says of what is left when it was interrupted, if it says anything. */
const INTERRUPTED: Readonly<Record<string, Check>> = {
  'davit-normalize': asBefore,
  'davit-manifest': asBefore,
  'davit-distribute': (said, world) => [...asBefore(said, world), ...sentTo(textsIn(said, 'delivered'), world)],
  'davit-lock': (_, world) => unlocked(world),
  'davit-activate': asBefore,
  'davit-env': (said, { run: { passed } }) => {
    const tool = textIn(said, 'before')
    return unless(!changing(passed ?? []).some((point) => point.startsWith(`${tool}:`)), 'that had begun')
  },
}

/** What the end of a step claims: a call of a module, or that packages were sent. */
export function stepClaim(said: Said, world: World): readonly string[] {
  const { activity } = said.fields as { activity?: { kind: string; service: string } }
  if (activity !== undefined) return performed({ ...activity, host: textIn(said, 'target'), time: said.time }, world)
  return textIn(said, 'id').startsWith('send ') ? sent(textIn(said, 'target'), world) : []
}

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

interface Performed {
  readonly kind: string
  readonly service: string
  readonly host: string
  readonly time: bigint
}

/** By the module, in this run; what was never begun is not there, and need not be stopped. */
function performed({ kind, service, host, time }: Performed, { journal, stateAt, names }: World): readonly string[] {
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

function generationAdded({ fields: { generation } }: Said, { attempted, coordinator }: World): readonly string[] {
  return [
    ...unless(Math.max(...coordinator.generations) === generation, `there are ${coordinator.generations.join(', ')}`),
    ...unless(coordinator.manifest === attempted.text, 'that is another manifest'),
  ]
}

/** What an earlier run had begun, and was cut off, may be gone; what one goes on to do is not this one's. */
function asBefore({ time }: Pick<Said, 'time'>, world: World): readonly string[] {
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

/** What an error says that is left to be done, and what perhaps is. */
interface Rest {
  readonly remaining: readonly Named[]
  readonly unknown: readonly Named[]
}

/** All that nobody doubts is either as before the run or as the manifest says, whatever the run was about to do last. */
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

/** Of what the tool that says so is there for. */
function didNothing(said: Said, world: World): readonly string[] {
  const isSame = (survey: Survey, index: number) =>
    survey.profile === world.start[index]!.profile || world.reinstalled.has(survey.host)
  if (said.tool === 'davit-activate') return asBefore(said, world)
  if (said.tool === 'davit-set') return unless(world.after.every(isSame), 'a profile is another one')
  if (said.tool === 'davit-lock') return unlocked(world)
  return [`nobody knows what '${said.tool}' would have done`]
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

function sentTo(hosts: readonly string[], world: World): readonly string[] {
  return hosts.flatMap((host) => sent(host, world))
}

function surveyOf(host: string, surveys: readonly Survey[]): Survey {
  const found = surveys.find((survey) => survey.host === host)
  if (found === undefined) throw new Error(`a run speaks of '${host}', which is none of the hosts`)
  return found
}

function hostOf(instance: string): string {
  return instance.split(':', 1)[0] ?? ''
}
