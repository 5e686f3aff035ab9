import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { encodeDocument, Manifest } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { GUESTBOOK, manifestOf } from '@davit/transition/testing'
import { expect, test } from 'vitest'

import { tool } from '../src/main.ts'

/** Labels in an image of Graphviz, sorted. */
const labelsIn = (svg: string) =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, label = '']) => label).sort()

test('Graphviz draws what davit-visualize writes, also without containers and with characters that it knows as its own', async () => {
  const directory = scratchDirectory()
  const manifest = manifestOf(GUESTBOOK)
  const infrastructure = new Map(
    [...manifest.infrastructure].map(([name, target]) => {
      return [name, { ...target, properties: new Map([['hostname', `${name} "<&lt;\\">\\`]]) }] as const
    }),
  )
  const file = join(directory, 'odd.json')
  writeFileSync(file, encodeDocument(Manifest, { ...manifest, infrastructure }, 'json'))
  const drawn = async (...options: string[]) => {
    const { stdout } = await runHere(tool, [file, ...options])
    return labelsIn(execFileSync('dot', ['-Tsvg'], { input: stdout, encoding: 'utf8' }))
  }
  const labels = ['api', 'db &quot;&lt;&amp;lt;\\&quot;&gt;\\', 'page', 'store', 'web &quot;&lt;&amp;lt;\\&quot;&gt;\\']
  expect(await drawn('--no-containers')).toEqual(labels)
  expect(await drawn()).toEqual([...labels, 'process', 'process'].sort())
})
