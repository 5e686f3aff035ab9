import { change, manifestOf } from '@davit/transition/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { arrange, type Arrangement, type Box } from '../src/arrange.ts'
import { LABEL_FONT, NAME_FONT, SIGN_SPACE, TITLE_FONT } from '../src/labels.ts'
import { changesBetween, type Graph, graphOf, withoutContainers } from '../src/picture.ts'
import { shortened, textWidth } from '../src/text-width.ts'
import { CHANGED, HOSTILE, largeManifest, PAGE } from './manifests.ts'

const isWithin = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width + 0.11 &&
  inner.y + inner.height <= outer.y + outer.height + 0.11

const overlap = (one: Box, other: Box) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

function expectApart(boxes: readonly Box[]): void {
  boxes.forEach((box, index) => {
    const others = boxes.slice(index + 1).filter((other) => overlap(box, other))
    expect({ box, others }).toEqual({ box, others: [] })
  })
}

function expectTidy({ size, targets }: Arrangement): void {
  const paper = { x: 0, y: 0, ...size }
  expectApart(targets.map(({ box }) => box))
  for (const { box, width, containers } of targets) {
    expect([isWithin(box, paper), width <= box.width]).toEqual([true, true])
    expectApart(containers.map((container) => container.box))
    for (const container of containers) {
      expect(isWithin(container.box, box)).toBe(true)
      expectApart(container.instances.map((instance) => instance.box))
      expect(container.instances.every((instance) => isWithin(instance.box, container.box))).toBe(true)
    }
  }
}

function expectRoomForText({ targets }: Arrangement): void {
  for (const { containers, label } of targets) {
    expect(textWidth(label, TITLE_FONT)).toBeLessThanOrEqual(230)
    for (const { instances } of containers) {
      for (const { instance, box, label: name, provides = '' } of instances) {
        const signs = [instance.change, instance.status].filter(Boolean).length * SIGN_SPACE
        const text = Math.max(textWidth(name, NAME_FONT), textWidth(provides, LABEL_FONT))
        expect(text + signs).toBeLessThan(box.width)
      }
    }
  }
}

const GRAPHS: readonly (readonly [string, Graph])[] = [
  ['a small system', graphOf(PAGE, { title: '' })],
  ['a change', CHANGED],
  ['hostile names', HOSTILE],
  ['1,000 services on 100 targets', graphOf(largeManifest(1000, 100), { title: '' })],
  ['1,000 services on one target', graphOf(largeManifest(1000, 1), { title: '' })],
  ['nothing', graphOf(largeManifest(0, 0), { title: '' })],
  ['targets without services', graphOf(largeManifest(0, 5), { title: '' })],
]

describe('arrange()', () => {
  test.each(GRAPHS)('keeps boxes apart and within each other: %s', (_, graph) => {
    for (const one of [graph, withoutContainers(graph)]) {
      const arrangement = arrange(one)
      expectTidy(arrangement)
      expectRoomForText(arrangement)
      expect(arrangement.edges.map(({ edge }) => edge)).toEqual(one.edges)
    }
  })

  test('does so for any change', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const [from, to] = [manifestOf(before), manifestOf(after)]
        expectTidy(arrange(graphOf(to, { title: '', changes: changesBetween(from, to) })))
      }),
    )
  })

  test('keeps 1,000 services at a size that can be looked at', () => {
    const { size } = arrange(graphOf(largeManifest(1000, 100), { title: '' }))
    const aspect = size.width / size.height
    expect(aspect).toBeGreaterThan(0.7)
    expect(aspect).toBeLessThan(2.2)
    expect(size.width * size.height).toBeLessThan(5000 * 5000)
  })
})

describe('shortened()', () => {
  test('keeps beginning and end, fits, and leaves alone what fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 30, max: 300 }), (text, width) => {
        const short = shortened(text, width, NAME_FONT)
        expect(textWidth(short, NAME_FONT)).toBeLessThanOrEqual(width)
        expect(short === text).toBe(textWidth(text, NAME_FONT) <= width)
      }),
    )
    expect(shortened('the-name-of-a-service-in-the-shop-17', 120, NAME_FONT)).toBe('the-nam…shop-17')
  })
})
