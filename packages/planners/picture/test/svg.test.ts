import { createHash } from 'node:crypto'
import { Script } from 'node:vm'

import { openSource, readXml } from '@davit/languages'
import { describe, expect, test } from 'vitest'

import { pageScript } from '../src/page-parts.ts'
import { graphOf, renderPage, renderSvg, withoutContainers } from '../src/picture.ts'
import { CHANGED, HOSTILE, largeManifest, PAGE } from './manifests.ts'

const count = (text: string, part: RegExp) => [...text.matchAll(part)].length

describe('renderSvg()', () => {
  test('draws a system', async () => {
    await expect(renderSvg(graphOf(PAGE, { title: 'page' }))).toMatchFileSnapshot('golden/page.svg')
  })

  test('draws a change', async () => {
    await expect(renderSvg(CHANGED)).toMatchFileSnapshot('golden/change.svg')
  })

  test('is well-formed whatever occurs in texts', () => {
    const svg = renderSvg(HOSTILE)
    expect(readXml(openSource(svg, { file: 'hostile.svg' }))).toHaveProperty('root')
    expect(svg).not.toMatch(/[\u0007\u202e]|<b>|<\/script>/)
  })

  test('draws every instance and line of a large system', () => {
    const graph = graphOf(largeManifest(1000, 100), { title: 'large' })
    const svg = renderSvg(graph)
    expect(count(svg, /<g class="instance"/g)).toBe(1000)
    expect(count(svg, /^<path class="edge /gm)).toBe(graph.edges.length)
    expect(count(svg, /<g class="target"/g)).toBe(100)
  })

  test('draws no containers where there are none', () => {
    expect(renderSvg(withoutContainers(graphOf(PAGE, { title: 'page' })))).not.toContain('class="container"')
  })
})

describe('renderPage()', () => {
  const page = renderPage(HOSTILE)

  test('allows its own script and style only', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(page) ?? []
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    expect(policy).toBe(
      `default-src 'none'; script-src 'sha256-${hash(script)}'; style-src 'sha256-${hash(style)}'; base-uri 'none'; form-action 'none'`,
    )
    expect(count(page, /<\/script>/g)).toBe(2)
    expect(page).not.toMatch(/https?:|\bsrc=|\bhref=|style="/)
  })

  test('has its facts as JSON', () => {
    const [, json = ''] = /id="data">([^]*?)<\/script>/.exec(page) ?? []
    expect(JSON.parse(json)).toMatchObject({ instances: expect.any(Array), edges: expect.any(Array) })
    expect(page).not.toMatch(/[\u0007\u202e]|<b>/)
  })

  test('has a script of modules whose names differ', () => {
    const script = pageScript()
    expect(() => new Script(script)).not.toThrow()
    expect(script).not.toMatch(/^(import|export)\b/m)
    const names = [...script.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm)].map(([, name]) => name)
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
  })
})
