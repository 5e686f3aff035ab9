import { describe, expect, test } from 'vitest'

import { CHANGE_MARKS, INK, STATUS_MARKS } from '../src/palette.ts'

type Colour = readonly [red: number, green: number, blue: number]

/** How people without one kind of cones see linear red, green and blue (Machado, Oliveira and Fernandes, 2009). */
const VISIONS: Readonly<Record<string, readonly Colour[]>> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

function linear(hex: string): Colour {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as never as Colour
}

function seen(colour: Colour, vision: readonly Colour[]): Colour {
  const product = (row: Colour) => row.reduce((sum, factor, index) => sum + factor * (colour[index] ?? 0), 0)
  return vision.map((row) => Math.min(1, Math.max(0, product(row)))) as never as Colour
}

/** Coordinates in CIELAB, where distances are as large as differences seem. */
function lab([red, green, blue]: Colour): Colour {
  const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116)
  const x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
  const y = f(0.2126 * red + 0.7152 * green + 0.0722 * blue)
  const z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const distance = (one: Colour, other: Colour) => Math.hypot(...one.map((part, index) => part - (other[index] ?? 0)))

function luminance(colour: string): number {
  const [red, green, blue] = linear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Differences from about 10 on are seen at a glance. */
const PLAIN = 14
/** The contrast that the accessibility guidelines of the Web ask for. */
const LEGIBLE = 4.5

const PALETTES = Object.entries({ changes: CHANGE_MARKS, states: STATUS_MARKS }).flatMap(([name, marks]) =>
  Object.entries(VISIONS).map(([vision, matrix]) => [name, vision, marks, matrix] as const),
)

describe('colours', () => {
  test.each(PALETTES)('of %s can be told apart with %s', (_, __, marks, matrix) => {
    const fills = Object.values(marks).map(({ fill }) => [fill, lab(seen(linear(fill), matrix))] as const)
    // White is an instance that does not change.
    const all = [...fills, ['#ffffff', lab(seen(linear('#ffffff'), matrix))] as const]
    const close = all.flatMap(([one, first], index) =>
      all.slice(index + 1).flatMap(([other, second]) => {
        const apart = distance(first, second)
        return apart < PLAIN ? [`${one} ${other} ${apart.toFixed(1)}`] : []
      }),
    )
    expect(close).toEqual([])
  })

  test.each(Object.entries({ ...CHANGE_MARKS, ...STATUS_MARKS }))('of %s leaves text legible', (_, { fill }) => {
    expect((luminance(fill) + 0.05) / (luminance(INK) + 0.05)).toBeGreaterThan(LEGIBLE)
  })

  test('come with signs and words that differ', () => {
    for (const marks of [CHANGE_MARKS, STATUS_MARKS]) {
      for (const field of ['sign', 'word'] as const) {
        const values = Object.values(marks).map((mark) => mark[field])
        expect(new Set(values).size).toBe(values.length)
      }
    }
  })
})
