import { byId } from './data.js'

const stage = byId('stage')
const view = byId('view')
const width = Number(view.dataset['width'])
const height = Number(view.dataset['height'])

/** Place of the upper left corner of the picture on the stage, and its scale. */
let [left, top, scale] = [0, 0, 1]

const SMALLEST = 0.05
const LARGEST = 6
const MARGIN = 8

function draw() {
  view.setAttribute('transform', `translate(${left} ${top}) scale(${scale})`)
}

/** Scale at which the whole picture is on the stage. */
function fitting() {
  return Math.min((stage.clientWidth - MARGIN) / width, (stage.clientHeight - MARGIN) / height)
}

/** @param {number} wanted */
function center(wanted) {
  scale = Math.max(SMALLEST, Math.min(LARGEST, wanted))
  left = Math.max(0, (stage.clientWidth - width * scale) / 2)
  top = Math.max(0, (stage.clientHeight - height * scale) / 2)
  draw()
}

/** Shows the whole picture. */
export function fit() {
  center(Math.min(fitting(), 1.5))
}

/** Shows the whole picture if it can be read then, otherwise its beginning. */
export function begin() {
  center(Math.max(0.5, Math.min(fitting(), 1.25)))
}

/**
 * Changes the scale around a point of the stage, by default its middle.
 * @param {number} factor
 * @param {{ x: number, y: number }} [point]
 */
export function zoom(factor, point = { x: stage.clientWidth / 2, y: stage.clientHeight / 2 }) {
  const wanted = Math.max(SMALLEST, Math.min(LARGEST, scale * factor))
  left = point.x - ((point.x - left) * wanted) / scale
  top = point.y - ((point.y - top) * wanted) / scale
  scale = wanted
  draw()
}

/**
 * @param {number} right
 * @param {number} down
 */
export function pan(right, down) {
  left -= right
  top -= down
  draw()
}

/**
 * Brings an element into view, where its text can be read.
 * @param {SVGGraphicsElement} target
 * @param {'if-hidden' | 'center'} when
 */
export function reveal(target, when) {
  if (when === 'center' && scale < 0.7) zoom(1 / scale)
  const [box, around] = [target.getBoundingClientRect(), stage.getBoundingClientRect()]
  const isHidden =
    box.left < around.left || box.right > around.right || box.top < around.top || box.bottom > around.bottom
  if (when === 'if-hidden' && !isHidden) return
  pan((box.left + box.right - around.left - around.right) / 2, (box.top + box.bottom - around.top - around.bottom) / 2)
}
