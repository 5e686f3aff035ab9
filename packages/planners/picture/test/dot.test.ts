import { readFileSync } from 'node:fs'

import { mappingIdOf } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { graphOf, renderDot } from '../src/picture.ts'
import { CHANGED, HOSTILE, PAGE } from './manifests.ts'

const RECORDED = readFileSync(new URL('fixtures/page.dot', import.meta.url), 'utf8')
const ALL = { containers: true }

/** Clusters and lines of a text in DOT, sorted, without the numbers of the clusters, which depend on their order. */
function partsOf(dot: string): readonly string[] {
  const clusters = [...dot.matchAll(/^subgraph cluster_\d+_\d+ \{\n([^}]*)\}$/gm)].map(([, content]) => content ?? '')
  const lines = dot.split('\n').map((line) => line.replace(/cluster_[\d_]+/, 'cluster'))
  return [...clusters, ...lines].sort()
}

describe('renderDot()', () => {
  test('writes the same clusters, nodes and lines as the original toolset, byte for byte', () => {
    const dot = renderDot(graphOf(PAGE, { title: '' }), ALL)
    expect(partsOf(dot)).toEqual(partsOf(RECORDED))
    expect(dot.length).toBe(RECORDED.length)
  })

  test('writes a change in colours', async () => {
    await expect(renderDot(CHANGED, ALL)).toMatchFileSnapshot('golden/change.dot')
  })

  test('tells in words and colours what was found', () => {
    const [mapping] = PAGE.serviceMappings
    const status = new Map([[mappingIdOf(mapping!), { kind: 'down', text: 'does not "run"' } as const]])
    const found = renderDot(graphOf(PAGE, { title: '', status }), ALL)
      .split('\n')
      .filter((line) => line.includes('fillcolor="'))
    expect(found).toEqual([expect.stringMatching(/\\n\(does not \\"run\\"\)".*, fillcolor="#e58a63" \];$/)])
  })

  test('leaves out containers', async () => {
    await expect(renderDot(graphOf(PAGE, { title: '' }), { containers: false })).toMatchFileSnapshot('golden/flat.dot')
  })

  test('quotes whatever occurs in texts', async () => {
    const dot = renderDot(HOSTILE, ALL)
    await expect(dot).toMatchFileSnapshot('golden/hostile.dot')
    // Quoted texts and words, and nothing else.
    expect(dot.replaceAll(/"(?:[^"\\\n]|\\[^\n])*"/g, 'text')).not.toMatch(/["<&\\\u0007\u202e]/)
  })
})
