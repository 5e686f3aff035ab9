import type { ArrangedInstance } from './arrange.ts'
import type { InstanceNode } from './graph.ts'
import { SIGN_SPACE } from './labels.ts'
import { element, escaped } from './markup.ts'
import { CHANGE_MARKS, STATUS_MARKS } from './palette.ts'
import type { Size } from './shelves.ts'

export interface InstancePlace {
  readonly target: string
  /** Empty if containers are not shown. */
  readonly container: string
}

/** Draws a service, and tells what it is to whoever cannot see it. Written as text instead of elements, since there are many. */
export function instanceSvg({ instance, box, label, provides }: ArrangedInstance, place: InstancePlace): string {
  const { change, status } = instance
  const { width, height } = box
  const left = change === undefined ? 0 : SIGN_SPACE
  const middle = left + (width - left - (status === undefined ? 0 : SIGN_SPACE)) / 2
  const kinds = change === undefined ? 'instance' : `instance changed ${change.kind}`
  return [
    `<g class="${kinds}" transform="translate(${box.x} ${box.y})"><title>${escaped(toldOf(instance, place))}</title>`,
    `<rect class="box" width="${width}" height="${height}" rx="6"/>`,
    change === undefined ? '' : sign(CHANGE_MARKS[change.kind].sign, 7, height / 2 - 5),
    `<text x="${middle}" y="18" text-anchor="middle">${escaped(label)}</text>`,
    provides === undefined ? '' : providerSvg(provides, middle, box),
    status === undefined ? '' : statusSvg(status.kind, width, height),
    '</g>',
  ].join('')
}

function providerSvg(provides: string, middle: number, { width, height }: Size): string {
  const inner = element('rect', { class: 'inner', x: 3, y: 3, rx: 4, width: width - 6, height: height - 6 })
  return `${inner}${element('text', { class: 'provides', x: middle, y: 34, 'text-anchor': 'middle' }, escaped(provides))}`
}

function sign(path: string, x: number, y: number): string {
  return element('path', { class: 'sign', d: path, transform: `translate(${x} ${y})` })
}

function statusSvg(kind: keyof typeof STATUS_MARKS, width: number, height: number): string {
  const [x, y] = [width - SIGN_SPACE + 4, height / 2]
  const disc = element('circle', { class: `disc ${kind}`, cx: x, cy: y, r: 8 })
  return `${disc}${sign(STATUS_MARKS[kind].sign, x - 5, y - 5)}`
}

/** Text for what an instance looks like: `web in process on test1: is replaced (changed package)`. */
function toldOf({ name, provides, change, status }: InstanceNode, { target, container }: InstancePlace): string {
  const where = container === '' ? `${name} on ${target}` : `${name} in ${container} on ${target}`
  if (provides.length === 0 && change === undefined && status === undefined) return where
  const told = [
    ...(provides.length === 0 ? [] : [`provides ${provides.join(', ')}`]),
    ...(change === undefined ? [] : [`${CHANGE_MARKS[change.kind].word} (${change.reasons.join('; ')})`]),
    ...(status === undefined ? [] : [status.text]),
  ]
  return `${where}: ${told.join('; ')}`
}
