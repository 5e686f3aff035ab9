import { STEPS, type Step } from './system.ts'

const SIGNALS = ['INT', 'TERM', 'HUP', 'KILL'] as const
const VICTIMS = ['tool', 'env'] as const

/** Signals to the tool or to davit-env, and what happens to the host to which the point belongs. */
export const KINDS = [
  ...VICTIMS.flatMap((victim) => SIGNALS.map((signal) => `${victim}:${signal}` as const)),
  'cut',
  'sshd',
  'reboot',
] as const
export type Kind = (typeof KINDS)[number]

export interface Fault {
  readonly step: Step
  readonly kind: Kind
  /** `TOOL:NUMBER` */
  readonly point: string
  /** Who goes on: the same coordinator, or one that knows nothing. */
  readonly coordinator: 'same' | 'second'
  /** Whether activities that are under way are held up until the next run has come across them. */
  readonly pace: 'usual' | 'held'
}

export function nameOf({ step, kind, point, coordinator, pace }: Fault): string {
  const more = [...(coordinator === 'second' ? [coordinator] : []), ...(pace === 'held' ? [pace] : [])]
  return [step, kind, point, ...more].join(' ')
}

export function parseFault(name: string): Fault | undefined {
  const [step, kind, point = '', ...more] = name.split(/\s+/)
  const isFault = STEPS.includes(step as Step) && KINDS.includes(kind as Kind) && /^davit-[a-z]+:\d+$/.test(point)
  if (!isFault) return undefined
  return {
    step: step as Step,
    kind: kind as Kind,
    point,
    coordinator: more.includes('second') ? 'second' : 'same',
    pace: more.includes('held') ? 'held' : 'usual',
  }
}

export type Points = Readonly<Record<Step, readonly string[]>>

/** Every kind at every point; who goes on, and how fast, is left to chance. */
export function allFaults(points: Points, random: () => number): readonly Fault[] {
  const faults = STEPS.map((step) =>
    points[step].flatMap((point) => KINDS.map((kind) => faultAt({ step, kind, point }, random))),
  )
  return inTurns(faults)
}

/** Kinds in turn, so that each has its share; points by chance. */
export function sampleFaults(points: Points, count: number, random: () => number): readonly Fault[] {
  const kinds = STEPS.map(() => shuffled(KINDS, random))
  return Array.from({ length: count }, (_, index) => {
    const turn = index % STEPS.length
    const step = STEPS[turn]!
    const kind = kinds[turn]![Math.floor(index / STEPS.length) % KINDS.length]!
    return faultAt({ step, kind, point: pick(points[step], random) }, random)
  })
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

function faultAt(place: Pick<Fault, 'step' | 'kind' | 'point'>, random: () => number): Fault {
  const coordinator = random() < 0.25 ? 'second' : 'same'
  // Where nobody is killed, the interrupted run itself would wait.
  const canBeHeld = place.kind.endsWith(':KILL') && place.point.startsWith('davit-activate:')
  return { ...place, coordinator, pace: canBeHeld && random() < 0.5 ? 'held' : 'usual' }
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([left], [right]) => left - right)
    .map(([, item]) => item)
}

/** The first of each list, then the second of each. */
function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}
