import { byId } from './data.js'
import { pan, zoom } from './view.js'

/** Places of the pointers that are down, by their identifiers. */
const pointers = /** @type {Map<number, { x: number, y: number }>} */ (new Map())

/** Lets the picture be moved by dragging, and scaled by the wheel or with two fingers. */
export function listenToPointers() {
  const stage = byId('stage')
  stage.addEventListener('wheel', onWheel, { passive: false })
  stage.addEventListener('pointerdown', (event) => pointers.set(event.pointerId, positionOf(event)))
  stage.addEventListener('pointermove', onMove)
  for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'pointerleave'])) {
    stage.addEventListener(name, (event) => pointers.delete(event.pointerId))
  }
}

/** @param {WheelEvent} event */
function onWheel(event) {
  event.preventDefault()
  zoom(Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.002 : 0.05)), positionOf(event))
}

/** @param {PointerEvent} event */
function onMove(event) {
  const before = pointers.get(event.pointerId)
  if (before === undefined) return
  const now = positionOf(event)
  const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, position]) => position)
  pan(before.x - now.x, before.y - now.y)
  if (other !== undefined) pinch(distance(before, other), { now, other })
  pointers.set(event.pointerId, now)
}

/**
 * @param {number} before
 * @param {{ now: { x: number, y: number }, other: { x: number, y: number } }} fingers
 */
function pinch(before, { now, other }) {
  if (before > 0) zoom(distance(now, other) / before, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 })
}

/**
 * @param {{ x: number, y: number }} one
 * @param {{ x: number, y: number }} other
 */
function distance(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y)
}

/** @param {MouseEvent} event */
function positionOf(event) {
  const { left, top } = byId('stage').getBoundingClientRect()
  return { x: event.clientX - left, y: event.clientY - top }
}
