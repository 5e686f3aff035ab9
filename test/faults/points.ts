import type { Step } from './system.ts'

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

/**
 * Points at which an interruption leaves the same behind:
 * - those between which a tool has only asked, whatever it asked, and whom;
 * - those that differ only by their host, since hosts are changed in the same way; but each beginning and end of an activity of
 *   davit-activate is its own;
 * - pieces of a stream, but the first and the last;
 * - in fives, the changes that are made to a store, since they are made in the same way for each package.
 */
export function alikes(points: readonly string[]): readonly (readonly string[])[] {
  const last = lastPieces(points)
  const changes = new Map<string, string>()
  const classes = new Map<string, string[]>()
  for (const point of points) {
    const { tool, moment } = partsOf(point)
    const isQuestion = ASKING.test(moment)
    if (!isQuestion) changes.set(tool, moment)
    const name = isQuestion ? `${tool} asks after ${changes.get(tool) ?? ''}` : className(point, last.has(point))
    classes.set(name, [...(classes.get(name) ?? []), point])
  }
  return [...classes.values()]
}

const ASKING = /^(begin|connect|before-script|(before|after)-(hello|observe|renew|native_missing))$/
const PIECE = 'before-data'
const CHANGE = /^(rename|write|mkdir|link|remove)$/
const IN_A_ROW = 5

function className(point: string, isLast: boolean): string {
  const { tool, moment, host, number } = partsOf(point)
  if (tool === 'davit-activate') return point
  if (CHANGE.test(moment)) return `${tool} ${moment} ${Math.ceil(number / IN_A_ROW)}`
  if (moment === PIECE) return `${tool} ${moment} ${number === 1 ? 'first' : isLast ? 'last' : 'other'}`
  return host === '-' ? point : `${tool} ${moment}`
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
