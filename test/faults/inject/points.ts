import { type Step, STEPS } from '../drive/system.ts'

/** Names of points, in the order in which an uninterrupted run reaches them. */
export type Points = Readonly<Record<Step, readonly string[]>>

/** Points of runs that confirm nothing, and of those that confirm what they have deployed. */
export interface AllPoints {
  readonly usual: Points
  readonly trial: Points
}

/** Returns the points that only a run passes that confirms what it has deployed. */
export function onlyOnTrial({ usual, trial }: AllPoints): Points {
  const only = STEPS.map((step) => [step, trial[step].filter((point) => !usual[step].includes(point))] as const)
  return Object.fromEntries(only) as unknown as Points
}

interface PointParts {
  readonly tool: string
  readonly moment: string
  readonly host: string
  readonly number: number
}

export function partsOf(point: string): PointParts {
  const [tool = '', moment = '', host = '', number = ''] = point.split(':')
  return { tool, moment, host, number: Number(number) }
}

/** Tools that make the manifest, without connections. A run that is interrupted in one of them begins with models. */
export const BUILDERS: readonly string[] = ['davit-normalize', 'davit-manifest']

/** Tools that deploy a manifest, one after the other. davit-lock is there while the last two run. */
export const DEPLOYERS: readonly string[] = ['davit-distribute', 'davit-lock', 'davit-activate', 'davit-set']

export function isOfDeployer(point: string): boolean {
  return DEPLOYERS.includes(partsOf(point).tool)
}

export function isOfBuilder(point: string): boolean {
  return BUILDERS.includes(partsOf(point).tool)
}

/** A point in the run of a step. */
export interface Place {
  readonly step: Step
  readonly point: string
}

/**
 * Returns the classes of equivalent places. An interruption has the same effect at all places of a class, since davit's code cannot
 * tell them apart. Equivalent are:
 * - places between which a tool has only asked questions, of any kind and of any host;
 * - places that differ only in their host, since hosts are changed in the same way, except those of davit-activate, where each
 *   beginning and end of an activity is different;
 * - pieces of a stream, except the first and the last;
 * - five consecutive builds or changes of a store, since they are made in the same way for each package;
 * - places of a tool in steps that it does not distinguish: tools that make the manifest find an empty store in each step, and have
 *   no connections; packages are sent and profiles are set in the same way whenever there were some before.
 */
export function alikes(points: Points): readonly (readonly Place[])[] {
  const classes = new Map<string, Place[]>()
  for (const step of STEPS) {
    const last = lastPieces(points[step])
    const changes = new Map<string, string>()
    for (const point of points[step]) {
      const { tool, moment } = partsOf(point)
      const isQuestion = ASKING.test(moment)
      if (!isQuestion) changes.set(tool, moment)
      const place = isQuestion ? `${tool} asks after ${changes.get(tool) ?? ''}` : placeOf(point, last.has(point))
      const name = `${scopeOf(step, tool)} ${place}`
      classes.set(name, [...(classes.get(name) ?? []), { step, point }])
    }
  }
  return [...classes.values()]
}

const ASKING = /^(begin|connect|before-script|(before|after)-(hello|look|observe|renew|native_missing))$/
const PIECE = 'before-data'
const CHANGE = /^(rename|write|mkdir|link|remove|started)$/
const IN_A_ROW = 5

/** Returns the scope of a class. It differs for steps that the tool can distinguish. */
function scopeOf(step: Step, tool: string): string {
  if (BUILDERS.includes(tool)) return 'any step'
  return SENDERS.includes(tool) && step !== 'install' ? 'a later step' : step
}

/** Tools that read the manifest and what a target has, but not which services are active. */
const SENDERS: readonly string[] = ['davit-distribute', 'davit-set']

function placeOf(point: string, isLast: boolean): string {
  const { tool, moment, host, number } = partsOf(point)
  if (tool === 'davit-activate') return point
  if (isOfPackage(point)) return `${tool} ${moment} ${Math.ceil(number / IN_A_ROW)}`
  if (moment === PIECE) return `${tool} ${pieceOf(number, isLast)}`
  return host === '-' ? point : `${tool} ${moment}`
}

function pieceOf(number: number, isLast: boolean): string {
  if (number === 1) return 'first piece'
  return isLast ? 'last piece' : 'other piece'
}

function isOfPackage(point: string): boolean {
  const { moment } = partsOf(point)
  return CHANGE.test(moment) || (isOfBuilder(point) && moment === 'before-start')
}

/** Returns the last pieces of the streams of each tool and host. */
function lastPieces(points: readonly string[]): ReadonlySet<string> {
  const last = new Map<string, string>()
  for (const point of points) {
    const { tool, moment, host } = partsOf(point)
    if (moment === PIECE) last.set(`${tool} ${host}`, point)
  }
  return new Set(last.values())
}
