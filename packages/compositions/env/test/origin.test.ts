import { givenOptions, version } from '@davit/tool'
import { parseArguments } from '@davit/tool/testing'
import { parseDocument, MadeFrom } from '@davit/documents'
import { expect, test } from 'vitest'

import { description } from '../src/description.ts'
import { originOf } from '../src/origin.ts'
import { options, type Order } from '../src/options.ts'

function orderOf(words: string, environment = {}): Order {
  const tool = { ...description, run: async () => {} }
  const request = parseArguments(tool, { argv: words.split(' '), environment })
  if (request.kind !== 'run') throw new Error(words)
  return request.args as unknown as Order
}

test.each([
  ['-s s.ts -i i.ts -d d.ts', { services: 's.ts', infrastructure: 'i.ts', distribution: 'd.ts' }],
  ['-A a.ts -p shop --no-upgrade -q', { architecture: 'a.ts', profile: 'shop', 'no-upgrade': true }],
  ['-A a.ts -m 4 -j 2 --modules m --modules n', { architecture: 'a.ts', 'max-jobs': 2, modules: ['m', 'n'] }],
])('of %s, those options are kept that are not as usual', (words, expected) => {
  expect(givenOptions(options, orderOf(words))).toEqual(expected)
})

test('options that variables set are kept too, and the order is what a generation keeps', () => {
  const order = orderOf('-A a.ts', { DAVIT_PROFILE: 'shop', DAVIT_SKIP_UNREACHABLE: '1' })
  const options = { architecture: 'a.ts', profile: 'shop', 'skip-unreachable': true }
  expect(parseDocument(MadeFrom, JSON.stringify(originOf(order, '/home')), { file: 'origin' })).toEqual({
    davit: version,
    order: { tool: 'davit-env', began: expect.stringMatching(/^\d{4}-.*Z$/) as string, directory: '/home', options },
  })
})
