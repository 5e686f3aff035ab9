import { printableLine } from '@davit/diagnostics'
import { describe, expect, test } from 'vitest'

import { element, escaped } from '../src/markup.ts'
import { graphOf, renderPage, renderSvg } from '../src/picture.ts'
import { HOSTILE, PAGE } from './manifests.ts'

const HOSTILE_TEXTS = [
  '"',
  "'",
  '<',
  '>',
  '&',
  '&quot;',
  '" onload="alert(1)',
  "' onload='alert(1)",
  '"><script>alert(1)</script>',
  '</script><script>alert(1)',
  '</style><script>alert(1)',
  'javascript:alert(1)',
  '\u0000 \u2028',
  'a\nb\tc\rd',
]

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The value of the attribute `id`, as a program reads it that shows the picture. */
function idIn(written: string): string | undefined {
  const [, value] = /^<g id="([^"]*)" class="box"\/>$/.exec(written) ?? []
  return value?.replaceAll(/&([^;]*);/g, (_, name: string) => CHARACTERS[name] ?? 'unknown')
}

describe.each(HOSTILE_TEXTS)('%j', (text) => {
  test('stays one value of an attribute', () => {
    expect(idIn(element('g', { id: text, class: 'box' }))).toBe(printableLine(text))
    expect(escaped(text)).not.toMatch(/["'<>\n\t\r\u0000\u2028]|&(?!(?:amp|lt|gt|quot|#39);)/)
  })

  test('makes no element and no attribute of its own in a page or an image', () => {
    const graph = { ...HOSTILE, title: text }
    expect(shapeOf(renderPage(graph))).toEqual(shapeOf(renderPage({ ...HOSTILE, title: 'plain' })))
    expect(shapeOf(renderSvg(graph))).toEqual(shapeOf(renderSvg({ ...HOSTILE, title: 'plain' })))
  })
})

const TAG = /<(\/?[a-z][\w-]*)((?: [\w:-]+(?:="[^"<>]*")?)*) ?\/?>/g

/** Names of elements and of their attributes, in order, and whatever looks like a part of one. */
function shapeOf(text: string): { readonly tags: readonly string[]; readonly rest: readonly string[] } {
  const outside = text.replace(/<!doctype html>/, '').replaceAll(/<(script|style)([^>]*)>[^]*?<\/\1>/g, '<$1$2></$1>')
  const tags = [...outside.matchAll(TAG)].map(
    ([, name, attributes = '']) => `${name}${attributes.replaceAll(/="[^"]*"/g, '')}`,
  )
  return { tags, rest: [...outside.replaceAll(TAG, '').matchAll(/[<>"]/g)].map(([found]) => found) }
}

test('pages and images have nothing outside of elements and texts', () => {
  for (const text of [renderPage(HOSTILE), renderSvg(HOSTILE), renderPage(graphOf(PAGE, { title: 'page' }))])
    expect(shapeOf(text).rest).toEqual([])
})

test('data within a page ends neither its script nor the page, whatever occurs in it', () => {
  for (const text of HOSTILE_TEXTS) {
    const [target, ...others] = HOSTILE.targets
    const graph = { ...HOSTILE, targets: [{ ...target!, name: text, facts: [[text, text] as const] }, ...others] }
    const [, json = ''] = /id="data">([^]*?)<\/script>/.exec(renderPage(graph)) ?? []
    expect(json).not.toContain('<')
    expect(JSON.parse(json)).toHaveProperty('targets')
  }
})
