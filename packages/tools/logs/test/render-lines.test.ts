import type { ContainerName, ServiceName, TargetName } from '@davit/documents'
import type { LogLine } from '@davit/service-logs'
import { fits, type Schema } from '@davit/testing/json-schema'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

import { renderJson, textRenderer } from '../src/render-lines.ts'

function line(target: string, text: string, { time, activity }: { time?: string; activity?: string } = {}): LogLine {
  const place = { target: target as TargetName, container: 'process' as ContainerName, service: 'api' as ServiceName }
  return {
    source: { ...place, ...(activity === undefined ? {} : { activity }) },
    at: Date.parse(time ?? '2026-01-02T03:04:05Z'),
    isTimed: time !== undefined,
    text,
  }
}

const LINES = [
  line('a', 'is up', { activity: 'activate' }),
  line('long-name', 'one\ttwo', { time: '2026-01-02T03:04:05.678Z' }),
  line('long-name', '  a \u001b[31mred\u202e line'),
  line('__proto__', '', { time: '2026-01-02T03:04:06Z' }),
]

describe('textRenderer()', () => {
  test.each([
    [
      undefined,
      `                         a:process activate | is up
2026-01-02T03:04:05.678Z long-name:process  | one    two
                         long-name:process  |   a \\u001b[31mred\\u202e line
2026-01-02T03:04:06.000Z __proto__:process  |
`,
    ],
    [
      40,
      `          a:process activate | is up
03:04:05Z long-name:process | one    two
          long-name:process |   a \\u001b[31mred\\u202e line
03:04:06Z __proto__:process |
`,
    ],
    [
      80,
      `          a:process activate | is up
03:04:05Z long-name:process  | one    two
          long-name:process  |   a \\u001b[31mred\\u202e line
03:04:06Z __proto__:process  |
`,
    ],
    [
      200,
      `                         a:process activate | is up
2026-01-02T03:04:05.678Z long-name:process  | one    two
                         long-name:process  |   a \\u001b[31mred\\u202e line
2026-01-02T03:04:06.000Z __proto__:process  |
`,
    ],
  ])('shows where lines come from, on a terminal of %s columns', (columns, text) => {
    expect(textRenderer({ columns, isMixed: false })(LINES)).toBe(text)
  })

  test('shows the service if there are several, and keeps its columns in what follows', () => {
    const render = textRenderer({ isMixed: true })
    expect(render([line('long-name', 'one')])).toMatch(/^ {25}api long-name:process \| one\n$/)
    expect(render([line('a', 'two')])).toMatch(/^ {25}api a:process {9}\| two\n$/)
  })
})

describe('renderJson()', () => {
  test('prints an object for each line, as the schema says', () => {
    const schema = new URL('../../../../docs/formats/schemas/service-log.json', import.meta.url)
    const lines = renderJson(LINES)
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as unknown)
    expect(lines.map((one) => fits(JSON.parse(readFileSync(schema, 'utf8')) as Schema, one))).toEqual(
      LINES.map(() => true),
    )
    expect(lines[1]).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      target: 'long-name',
      container: 'process',
      service: 'api',
      text: 'one    two',
    })
    expect(lines[2]).toMatchObject({ text: '  a \\u001b[31mred\\u202e line' })
  })
})
