import { type Fault, isMishap, type Kind, KINDS, leavesOrphans, type Strike } from './fault.ts'
import { alikes, isOfBuilder, partsOf, type Place, type Points } from './points.ts'
import { GRACEFUL, type Step, STEPS } from '../drive/system.ts'

/**
 * Every kind at every place. `one-of-each` tries once what is the same: of places that are alike chance picks one for each kind,
 * and one signal stands for all that ask for an end: INT, TERM and HUP have one handler, and whoever gets it passes it on to the
 * others. Who goes on, how fast, and what interrupts the next run is left to chance in any case, and so is the order: whoever ends
 * it early has a sample.
 */
export function allFaults(
  points: Points,
  random: () => number,
  extent: 'one-of-each' | 'every-signal',
): readonly Fault[] {
  const isAll = extent === 'every-signal'
  const each = STEPS.flatMap((step) => points[step].map((point) => [{ step, point }]))
  const faults = (isAll ? each : alikes(points)).flatMap((alike) => {
    const kinds = kindsFor(alike[0]!.point, isAll ? KINDS.map((kind) => [kind]) : KINDS_ALIKE)
    const once = kinds.map((same) => faultAt(pick(alike, random), pick(same, random), random))
    return [...once, twice(pick(alike, random), points, random)]
  })
  return shuffled(faults, random)
}

/** Kinds in turn, so that each has its share, with steps in turn; points by chance. */
export function sampleFaults(points: Points, count: number, random: () => number): readonly Fault[] {
  const kinds = shuffled(KINDS, random)
  return Array.from({ length: count }, (_, index) => {
    const step = STEPS[index % STEPS.length]!
    const kind = kinds[index % kinds.length]!
    // Every fourth at a tool that makes the manifest, every fourth with a second fault.
    const ofBuilder = index % 4 === 0 && !isMishap(kind)
    const possible = points[step].filter((point) => !isMishap(kind) || !hostless(point))
    const candidates = possible.filter((point) => isOfBuilder(point) === ofBuilder)
    const place = { step, point: pick(candidates.length === 0 ? possible : candidates, random) }
    return index % 4 === 1 ? twice(place, points, random, [kind]) : faultAt(place, kind, random)
  })
}

/** Those that are the same for a deployment. */
const KINDS_ALIKE: readonly (readonly Kind[])[] = [
  KINDS.filter((kind) => GRACEFUL.some((signal) => kind.endsWith(`:${signal}`)) && !kind.startsWith('twice:')),
  KINDS.filter((kind) => kind.startsWith('twice:')),
  ...KINDS.filter((kind) => kind.endsWith(':KILL') || isMishap(kind)).map((kind) => [kind]),
]

/** Nothing happens to a host at a point that belongs to none. */
function kindsFor(point: string, kinds: readonly (readonly Kind[])[]): readonly (readonly Kind[])[] {
  return hostless(point) ? kinds.filter(([kind]) => !isMishap(kind!)) : kinds
}

function hostless(point: string): boolean {
  return partsOf(point).host === '-'
}

/** An interruption at the place, and another one somewhere in the next run. */
function twice({ step, point }: Place, points: Points, random: () => number, kinds: readonly Kind[] = KINDS): Fault {
  const next = points[LEADS_TO[step]].filter((other) => isReachedAgain(other, point))
  const first = strikeAt(point, kinds, random)
  const second = strikeAt(pick(next, random), KINDS, random)
  const coordinator = random() < 0.25 ? 'second' : 'same'
  return { step, ...first, again: second, coordinator, pace: 'usual' }
}

/** Whether the next run comes there as well, though it has less to do. */
function isReachedAgain(point: string, first: string): boolean {
  const { tool, number, moment } = partsOf(point)
  if (number > 1 || /data|start|done/.test(moment)) return false
  // What a builder has written is there, once it has ended.
  return !isOfBuilder(point) || (isOfBuilder(first) && (tool === partsOf(first).tool || moment === 'begin'))
}

function strikeAt(point: string, kinds: readonly Kind[], random: () => number): Strike {
  const possible = kinds.filter((kind) => !isMishap(kind) || !hostless(point))
  return { kind: pick(possible.length === 0 ? KINDS.filter((kind) => !isMishap(kind)) : possible, random), point }
}

/** What is deployed after a step and the run that follows an interruption: a system that can be started. */
export const LEADS_TO = {
  install: 'install',
  failing: 'upgrade',
  upgrade: 'upgrade',
  undeploy: 'undeploy',
} as const satisfies Record<Step, Step>

function faultAt({ step, point }: Place, kind: Kind, random: () => number): Fault {
  const strike = { kind, point }
  const coordinator = random() < 0.25 ? 'second' : 'same'
  // Where nobody is killed, the interrupted run itself would wait.
  const canBeHeld = leavesOrphans(strike) && strike.point.startsWith('davit-activate:')
  // A second signal comes too late for what is over at once.
  const isHeld = canBeHeld && (strike.kind.startsWith('twice:') || random() < 0.5)
  return { step, ...strike, coordinator, pace: isHeld ? 'held' : 'usual' }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
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
