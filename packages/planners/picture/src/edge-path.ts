import type { Box } from './arrange.ts'

/**
 * Returns the curve from one box to another as data of an SVG path. It leaves a box at its side where it can: boxes lie closer
 * above each other, so that a line from the lower side of one would seem to come from the next.
 */
export function pathBetween(from: Box, to: Box): string {
  if (from === to) return loop(from)
  if (from.x + from.width <= to.x || to.x + to.width <= from.x) return horizontal(from, to)
  const between = Math.max(from.y, to.y) - Math.min(from.y + from.height, to.y + to.height)
  return between > ADJACENT ? aside(from, to) : vertical(from, to)
}

const ADJACENT = 16

/** Passes beside both, in the gap to the next column. */
function aside(from: Box, to: Box): string {
  const [start, end] = [atRight(from, OUT), atRight(to, IN)]
  const far = Math.max(start[0], end[0]) + REACH_ASIDE
  return curve(start, [far, start[1]], [far, end[1]], end)
}

/** The curve reaches three quarters of it. */
const REACH_ASIDE = 13

/** Parts of the height at which lines leave and arrive, so that one that arrives does not seem to go on. */
const [OUT, IN] = [0.68, 0.32]

/** Leads straight to a box right above or below. */
function vertical(from: Box, to: Box): string {
  const isDown = to.y > from.y
  const start: Position = [leaning(from, to), isDown ? from.y + from.height : from.y]
  const end: Position = [leaning(to, from), isDown ? to.y : to.y + to.height]
  return curve(start, start, end, end)
}

/** Boxes beside each other are connected at the sides that face each other. */
function horizontal(from: Box, to: Box): string {
  const isRight = to.x > from.x
  const [start, end] = isRight ? [atRight(from, OUT), atLeft(to, IN)] : [atLeft(from, OUT), atRight(to, IN)]
  const distance = Math.abs(end[0] - start[0])
  const reach = (isRight ? 1 : -1) * Math.max(MIN_REACH, distance / 2)
  // Within a row, a far line would be hidden by the boxes between.
  const bow = distance > NEAR && Math.abs(end[1] - start[1]) < LEVEL ? BOW : 0
  return curve(start, [start[0] + reach, start[1] + bow], [end[0] - reach, end[1] + bow], end)
}

const MIN_REACH = 8
const NEAR = 80
const LEVEL = 20
const BOW = 27

function atLeft({ x, y, height }: Box, part: number): Position {
  return [x, y + height * part]
}

function atRight({ x, y, width, height }: Box, part: number): Position {
  return [x + width, y + height * part]
}

function loop({ x, y, width, height }: Box): string {
  const right = x + width
  return curve([right, y + height / 3], [right + 24, y], [right + 24, y + height], [right, y + (2 * height) / 3])
}

type Position = readonly [x: number, y: number]

function curve(...[start, leaving, arriving, end]: readonly [Position, Position, Position, Position]): string {
  const text = ([x, y]: Position) => `${Math.round(x)} ${Math.round(y)}`
  return `M${text(start)}C${text(leaving)} ${text(arriving)} ${text(end)}`
}

/** Where on its upper or lower side a box is connected: the nearer to the other box, the better. */
function leaning(box: Box, other: Box): number {
  const most = box.width * 0.35
  const wanted = (middleOf(other) - middleOf(box)) * 0.15
  return middleOf(box) + Math.max(-most, Math.min(most, wanted))
}

function middleOf({ x, width }: Box): number {
  return x + width / 2
}
