import { type Step, STEPS } from '../drive/system.ts'

/** Names of points, in the order in which a run that is left alone comes to them. */
export type Points = Readonly<Record<Step, readonly string[]>>

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

/** Tools that make the manifest, and have no connections. A run that is interrupted there begins with models. */
export const BUILDERS: readonly string[] = ['davit-normalize', 'davit-manifest']

export function isOfBuilder(point: string): boolean {
  return BUILDERS.includes(partsOf(point).tool)
}

/** A point of the run that takes a step. */
export interface Place {
  readonly step: Step
  readonly point: string
}

/**
 * Places at which an interruption leaves the same behind, since no code of davit can tell them apart:
 * - those between which a tool has only asked, whatever it asked, and whom;
 * - those that differ only by their host, since hosts are changed in the same way; but each beginning and end of an activity of
 *   davit-activate is its own;
 * - pieces of a stream, but the first and the last;
 * - in fives, builds and the changes that are made to a store, since they are made in the same way for each package;
 * - those of a tool at steps between which it knows no difference: what makes a manifest finds an empty store at each step, and
 *   has no connections; packages are sent and profiles are set in the same way whenever there have been some before.
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

const ASKING = /^(begin|connect|before-script|(before|after)-(hello|observe|renew|native_missing))$/
const PIECE = 'before-data'
const CHANGE = /^(rename|write|mkdir|link|remove|started)$/
const IN_A_ROW = 5

/** Steps between which a tool can tell have different ones. */
function scopeOf(step: Step, tool: string): string {
  if (BUILDERS.includes(tool)) return 'any step'
  return SENDERS.includes(tool) && step !== 'install' ? 'a later step' : step
}

/** They read the manifest and what a target has, and not what is active. */
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

/** The last pieces for each host. */
function lastPieces(points: readonly string[]): ReadonlySet<string> {
  const last = new Map<string, string>()
  for (const point of points) {
    const { tool, moment, host } = partsOf(point)
    if (moment === PIECE) last.set(`${tool} ${host}`, point)
  }
  return new Set(last.values())
}
