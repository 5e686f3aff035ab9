import { type Fault, isMishap, isOfHolder, type Kind, KINDS, leavesOrphans, type Strike } from './fault.ts'
import {
  alikes,
  type AllPoints,
  isOfBuilder,
  isOfDeployer,
  onlyOnTrial,
  partsOf,
  type Place,
  type Points,
} from './points.ts'
import { GRACEFUL, type Step, STEPS } from '../drive/system.ts'

/**
 * Returns faults of every kind at every place. `one-of-each` tries equivalent faults once: it picks one of equivalent places at
 * random for each kind, and one signal stands for all that request an end. INT, TERM and HUP have one handler, and the process that
 * receives one passes it on to the others. The coordinator that continues, the pace, whether connections are shared, and the
 * interruption of the next run are always random. So is the order, so that ending the loop early leaves a sample.
 */
export function allFaults(
  all: AllPoints,
  random: () => number,
  extent: 'one-of-each' | 'every-signal',
): readonly Fault[] {
  const isAll = extent === 'every-signal'
  const points = all.usual
  const each = STEPS.flatMap((step) => points[step].map((point) => [{ step, point }]))
  const faults = (isAll ? each : alikes(points)).flatMap((alike) => {
    const kinds = kindsFor(alike[0]!.point, isAll ? KINDS.map((kind) => [kind]) : KINDS_ALIKE)
    const once = kinds.map((same) => {
      const places = alike.filter(({ point }) => canHappen(same[0]!, point))
      return faultAt(pick(places, random), pick(same, random), random)
    })
    return [...once, twice(pick(alike, random), points, random)]
  })
  return shuffled([...faults, ...trialFaults(all, random)], random)
}

/**
 * Returns a sample that takes kinds and steps in turn, so that each has its share, and points at random. Half of the kinds that are
 * equivalent take part.
 */
export function sampleFaults(all: AllPoints, count: number, random: () => number): readonly Fault[] {
  const kinds = shuffled(
    KINDS_ALIKE.flatMap((same) => shuffled(same, random).slice(0, halfOf(same))),
    random,
  )
  const points = all.usual
  return Array.from({ length: count }, (_, index) => {
    const step = STEPS[index % STEPS.length]!
    const kind = kinds[index % kinds.length]!
    // Every sixth fault is in a run that is to be confirmed.
    if (index % 6 === 2 && !isOfHolder(kind)) return trialFault(step, kind, all, random)
    // Every fourth fault is at a tool that makes the manifest, and every fourth has a second interruption.
    const ofBuilder = index % 4 === 0 && !isMishap(kind) && !isOfHolder(kind)
    const possible = points[step].filter((point) => canHappen(kind, point))
    const candidates = possible.filter((point) => isOfBuilder(point) === ofBuilder)
    const place = { step, point: pick(candidates.length === 0 ? possible : candidates, random) }
    return index % 4 === 1 && !isOfHolder(kind) ? twice(place, points, random, [kind]) : faultAt(place, kind, random)
  })
}

/** Groups of kinds that are equivalent for a deployment. */
const KINDS_ALIKE: readonly (readonly Kind[])[] = [
  KINDS.filter((kind) => GRACEFUL.some((signal) => kind.endsWith(`:${signal}`)) && !kind.startsWith('twice:')),
  KINDS.filter((kind) => kind.startsWith('twice:')),
  ...KINDS.filter((kind) => kind.endsWith(':KILL') || isOfHolder(kind) || isMishap(kind)).map((kind) => [kind]),
]

/**
 * Returns faults of every kind at each point that only runs pass which are to be confirmed, up to the host, and one of any kind at every
 * other point of tools that deploy.
 */
function trialFaults(all: AllPoints, random: () => number): readonly Fault[] {
  const only = onlyOnTrial(all)
  return alikes(all.trial).flatMap((alike) => {
    const { step, point } = pick(alike, random)
    if (!isOfDeployer(point)) return []
    const kinds = KINDS_ALIKE.map((same) => pick(same, random)).filter((kind) => canBeTried(kind, point))
    const chosen = only[step].includes(point) ? kinds : [pick(kinds, random)]
    return chosen.map((kind) => trialAt({ step, point }, kind, random))
  })
}

/** Returns a fault of a kind, if it can be, at one of the points of a run that is to be confirmed. */
function trialFault(step: Step, kind: Kind, all: AllPoints, random: () => number): Fault {
  const points = (random() < 0.75 ? onlyOnTrial(all) : all.trial)[step].filter(isOfDeployer)
  const possible = points.filter((point) => canBeTried(kind, point))
  const point = pick(possible.length === 0 ? points : possible, random)
  return trialAt({ step, point }, possible.length === 0 ? 'env:KILL' : kind, random)
}

function canBeTried(kind: Kind, point: string): boolean {
  return !isOfHolder(kind) && canHappen(kind, point)
}

function trialAt(place: Place, kind: Kind, random: () => number): Fault {
  return { ...faultAt(place, kind, random), pace: 'usual', connections: 'own', trial: 'confirmed' }
}

function halfOf(kinds: readonly Kind[]): number {
  return Math.ceil(kinds.length / 2)
}

/** Number of faults in a sample that has every kind once, as far as they are not equivalent. */
export const SAMPLE_SIZE = KINDS_ALIKE.reduce((sum, same) => sum + halfOf(same), 0)

function kindsFor(point: string, kinds: readonly (readonly Kind[])[]): readonly (readonly Kind[])[] {
  return kinds.filter(([kind]) => canHappen(kind!, point))
}

/** Leaves out what happens to hosts if the point does not belong to a host, and to davit-connect if it does not belong to a tool. */
function canHappen(kind: Kind, point: string): boolean {
  if (isOfHolder(kind)) return isOfDeployer(point)
  return !isMishap(kind) || !hostless(point)
}

function hostless(point: string): boolean {
  return partsOf(point).host === '-'
}

/** Makes a fault with an interruption at the place, and another one somewhere in the next run. */
function twice({ step, point }: Place, points: Points, random: () => number, kinds: readonly Kind[] = KINDS): Fault {
  const next = points[LEADS_TO[step]].filter((other) => isReachedAgain(other, point))
  const first = strikeAt(point, kinds, random)
  const second = strikeAt(pick(next, random), KINDS, random)
  const coordinator = random() < 0.25 ? 'second' : 'same'
  const wayOn = wayOnFrom(point, random)
  return { step, ...first, again: second, coordinator, pace: 'usual', connections: 'own', wayOn, trial: 'none' }
}

/** Whether the next run also reaches the point, although it has less to do. */
function isReachedAgain(point: string, first: string): boolean {
  const { tool, number, moment } = partsOf(point)
  if (number > 1 || /data|start|done/.test(moment)) return false
  // The output of a builder that has ended is already there.
  return !isOfBuilder(point) || (isOfBuilder(first) && (tool === partsOf(first).tool || moment === 'begin'))
}

function strikeAt(point: string, kinds: readonly Kind[], random: () => number): Strike {
  const possible = kinds.filter((kind) => canHappen(kind, point) && !isOfHolder(kind))
  const others = KINDS.filter((kind) => !isMishap(kind) && !isOfHolder(kind))
  return { kind: pick(possible.length === 0 ? others : possible, random), point }
}

/** The step to which the run after an interruption leads: a system that can be started. */
export const LEADS_TO = {
  install: 'install',
  failing: 'upgrade',
  upgrade: 'upgrade',
  undeploy: 'undeploy',
} as const satisfies Record<Step, Step>

function faultAt({ step, point }: Place, kind: Kind, random: () => number): Fault {
  const strike = { kind, point }
  const coordinator = random() < 0.25 ? 'second' : 'same'
  // If no process is killed, the interrupted run itself would wait.
  const canBeHeld = leavesOrphans(strike) && strike.point.startsWith('davit-activate:')
  // Without holding up, the activity could be over before a second signal.
  const isHeld = canBeHeld && (strike.kind.startsWith('twice:') || random() < 0.5)
  const connections = connectionsFor(strike, random)
  return {
    step,
    ...strike,
    coordinator,
    pace: isHeld ? 'held' : 'usual',
    connections,
    wayOn: wayOnFrom(point, random),
    trial: 'none',
  }
}

/** Half of the interrupted runs are resumed or aborted, where anything was begun. */
function wayOnFrom(point: string, random: () => number): Fault['wayOn'] {
  const number = random()
  if (isOfBuilder(point) || number < 0.5) return 'repeated'
  return number < 0.75 ? 'resumed' : 'aborted'
}

/** Kinds of interruptions that are tried with shared connections as well. */
const ALSO_SHARED: readonly Kind[] = ['env:KILL', 'cut', 'sshd', 'reboot']

function connectionsFor({ kind, point }: Strike, random: () => number): Fault['connections'] {
  if (isOfHolder(kind)) return 'shared'
  const canBeShared = ALSO_SHARED.includes(kind) && isOfDeployer(point)
  return canBeShared && random() < 0.25 ? 'shared' : 'own'
}

/** Returns a generator of numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([left], [right]) => left - right)
    .map(([, item]) => item)
}
