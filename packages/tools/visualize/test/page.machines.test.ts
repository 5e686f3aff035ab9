import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { encodeDocument, Manifest } from '@davit/documents'
import { type Browser, startBrowser, type Tab } from '@davit/testing/browser'
import { removeTree } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { manifestOf, type ServiceSpec } from '@davit/transition/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

const NARROW = { width: 400, height: 800 }
const WIDE = { width: 1400, height: 900 }
const SIZES = [WIDE, NARROW]

/** Services in tiers, of which each needs two of the tier before. */
function systemOf(count: number, targets: number, version: (index: number) => number) {
  const width = Math.ceil(count / 5)
  const services = Array.from({ length: count }, (_, index): readonly [string, ServiceSpec] => {
    const before = [index - width, index - width + 1].filter((other) => other >= 0)
    const on = [`host-${(index + (version(index) === 3 ? 1 : 0)) % targets}/process`]
    return [
      `service-${index}`,
      { on, dependsOn: before.map((other) => `service-${other}`), version: version(index) === 2 ? 2 : 1 },
    ]
  })
  return manifestOf({ services: Object.fromEntries(services.filter(([name]) => !name.endsWith('-99'))) })
}

let [directory, browser]: [string, Browser] = ['', undefined as unknown as Browser]
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'davit-pages-'))
  browser = startBrowser()
  write(
    'old.json',
    systemOf(40, 6, () => 1),
  )
  write(
    'new.json',
    systemOf(40, 6, (index) => (index > 33 ? 2 : index === 7 ? 3 : 1)),
  )
  write(
    'large.json',
    systemOf(1000, 100, () => 1),
  )
  await draw('small.html', ['old.json'])
  await draw('change.html', ['--from', 'old.json', 'new.json'])
  await draw('flat.html', ['--no-containers', 'old.json'])
  await draw('large.html', ['large.json'])
})
afterAll(async () => {
  await browser.close()
  removeTree(directory)
})

function write(name: string, manifest: Manifest): void {
  writeFileSync(join(directory, name), encodeDocument(Manifest, manifest, 'json'))
}

async function draw(name: string, argv: readonly string[]): Promise<void> {
  const files = argv.map((word) => (word.endsWith('.json') ? join(directory, word) : word))
  const ended = await runHere(tool, ['--format=html', '--output', join(directory, name), ...files])
  expect(ended).toEqual({ status: 0, stdout: '', stderr: '' })
}

const open = (name: string, size = WIDE) => browser.open(pathToFileURL(join(directory, name)).href, size)

/** Finds boxes that overlap although neither is within the other, and text that is wider than what it is in. */
const FIND_OVERLAPS = `(() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect())
  const apart = (a, b) => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5
  const problems = []
  for (const selector of ['.target > .area', '.container > .area', '.instance > .box', 'header > *', 'body > *:not(script)', 'header button', '#legend li']) {
    const all = boxes(selector)
    all.forEach((one, index) => all.slice(index + 1).forEach((other) => apart(one, other) || problems.push(selector)))
  }
  for (const instance of document.querySelectorAll('#stage .instance')) {
    const box = instance.querySelector('.box').getBoundingClientRect()
    for (const text of instance.querySelectorAll('text, .sign')) {
      const inner = text.getBoundingClientRect()
      if (inner.left < box.left || inner.right > box.right || inner.top < box.top || inner.bottom > box.bottom) problems.push(text.textContent)
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push('wider than the window')
  return problems
})()`

const search = async (tab: Tab, text: string) => {
  await tab.press('/')
  await tab.send('Input.insertText', { text })
}
const textOf = (tab: Tab, selector: string) => tab.evaluate(`document.querySelector('${selector}')?.innerText ?? ''`)
const countOf = (tab: Tab, selector: string) => tab.evaluate(`document.querySelectorAll('${selector}').length`)
const viewOf = (tab: Tab) => tab.evaluate(`document.querySelector('#view').getAttribute('transform')`)

describe('the page of davit-visualize', () => {
  test.each(['small.html', 'change.html', 'flat.html', 'large.html'])(
    'loads nothing, says no error, and nothing in it overlaps: %s',
    async (name) => {
      for (const size of SIZES) {
        const tab = await open(name, size)
        expect(await tab.evaluate(FIND_OVERLAPS)).toEqual([])
        const asked = tab.events.filter(({ method }) => method === 'Network.requestWillBeSent')
        expect(asked.map(({ params }) => (params['request'] as { url: string }).url)).toEqual([
          pathToFileURL(join(directory, name)).href,
        ])
        const told = tab.events.filter(({ method }) =>
          /^(Log.entryAdded|Runtime.(exceptionThrown|consoleAPICalled))$/.test(method),
        )
        expect(told).toEqual([])
      }
    },
  )

  test('cannot load anything', async () => {
    const tab = await open('small.html')
    const refused = await tab.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
      document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))
    })`)
    expect(refused).toBe('img-src')
    await expect(tab.evaluate(`fetch('http://127.0.0.1:9/')`)).rejects.toThrow('Failed to fetch')
  })

  test.each(SIZES)('finds services, dims the others, and goes to the next one at $width pixels', async (size) => {
    const tab = await open('large.html', size)
    await search(tab, 'service-12 host-12')
    expect([await countOf(tab, '.hit'), await textOf(tab, '#found')]).toEqual([1, '1 found'])
    await tab.press('Enter', '\r')
    expect(await textOf(tab, '#found')).toBe('1 of 1')
    expect(await textOf(tab, '#details h2')).toBe('service-12')
    const isVisible = `(() => {
      const [one, stage] = [document.querySelector('.chosen'), document.querySelector('#stage')].map((e) => e.getBoundingClientRect())
      return one.left >= stage.left && one.right <= stage.right && one.top >= stage.top && one.bottom <= stage.bottom && one.height > 15
    })()`
    expect(await tab.evaluate(isVisible)).toBe(true)
    const opacity = (selector: string) =>
      tab.evaluate(`getComputedStyle(document.querySelector('${selector}')).opacity`)
    expect([await opacity('.instance:not(.on) text'), await opacity('.chosen text')]).toEqual(['0.35', '1'])
    await tab.press('Escape')
    expect([await countOf(tab, '.hit'), await textOf(tab, '#found')]).toEqual([0, ''])
  })

  test('goes around among what it has found, forward and backward', async () => {
    const tab = await open('small.html')
    await search(tab, 'host-3')
    const names = []
    for (let round = 0; round < 8; round += 1) {
      await tab.press('Enter', '\r')
      names.push(await textOf(tab, '#details h2'))
    }
    expect(names).toEqual([3, 9, 15, 21, 27, 33, 39, 3].map((index) => `service-${index}`))
  })

  test('can be used with the keyboard alone', async () => {
    const tab = await open('small.html')
    const begun = await viewOf(tab)
    for (const [there, back] of [
      ['+', '-'],
      ['ArrowLeft', 'ArrowRight'],
      ['ArrowUp', 'ArrowDown'],
    ] as const) {
      const before = await viewOf(tab)
      await tab.press(there)
      expect(await viewOf(tab)).not.toBe(before)
      await tab.press(back)
      expect(await viewOf(tab)).toBe(before)
    }
    await tab.press('ArrowLeft')
    await tab.press('0')
    expect(await viewOf(tab)).not.toBe(begun)
    // The search field, three buttons, and then the services.
    for (let times = 0; times < 5; times += 1) await tab.press('Tab')
    expect(await tab.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'service-0 in process on host-0',
    )
    expect(await textOf(tab, '#details')).toContain('needed by\nservice-7 on host-1')
    expect(await countOf(tab, '.on.needed')).toBeGreaterThan(3)
    await tab.press('Escape')
    expect(await countOf(tab, '.on')).toBe(0)
  })

  test('moves with the pointer, and shows what it points at', async () => {
    const tab = await open('small.html')
    const before = await viewOf(tab)
    const mouse = (type: string, x: number, y: number) =>
      tab.send('Input.dispatchMouseEvent', {
        type,
        x,
        y,
        button: type === 'mouseMoved' ? 'none' : 'left',
        clickCount: 1,
      })
    const place = (await tab.evaluate(
      `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector('.instance').getBoundingClientRect())`,
    )) as [number, number]
    await mouse('mouseMoved', ...place)
    expect(await textOf(tab, '#details h2')).toBe('service-0')
    await mouse('mousePressed', 20, 300)
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 60, y: 330, button: 'left', buttons: 1 })
    await mouse('mouseReleased', 60, 330)
    expect(await viewOf(tab)).not.toBe(before)
    const moved = await viewOf(tab)
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 200, y: 200, deltaX: 0, deltaY: -200 })
    expect(await viewOf(tab)).not.toBe(moved)
  })

  test('tells what changes, and why', async () => {
    const tab = await open('change.html')
    const legend = String(await textOf(tab, '#legend'))
    expect(
      legend
        .split('\n')
        .map((word) => word.trim())
        .filter(Boolean),
    ).toEqual(['is replaced', 'moves here', 'moves away', 'depends on', 'moves to'])
    await search(tab, 'service-7 moves here')
    await tab.press('Enter', '\r')
    expect(await textOf(tab, '.told')).toContain('moves here: moved from host-1')
    expect([await countOf(tab, '.moves.on'), await countOf(tab, '.gone.on')]).toEqual([1, 1])
    const fill = (selector: string) => tab.evaluate(`getComputedStyle(document.querySelector('${selector} .box')).fill`)
    expect([await fill('.moved'), await fill('.replaced')]).toEqual(['rgb(111, 168, 238)', 'rgb(246, 226, 122)'])
  })

  test('is dark where that is preferred', async () => {
    const tab = await open('small.html')
    await tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] })
    const colour = (selector: string, property: string) =>
      tab.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    expect(await colour('body', 'backgroundColor')).toBe('rgb(18, 21, 26)')
    expect(await colour('#stage text', 'fill')).toBe('rgb(243, 244, 246)')
  })
})
