import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { commitTree, filesIn, gitOf, makeRepository, makeShop, stack, textIn, user } from './testing.ts'

const ATTRIBUTES = 'export-subst ident text eol=crlf working-tree-encoding=UTF-16 filter=loud'
const TEXT = 'one\ntwo $Format:%H$ $Id$ $Id: 12 $\n'

test('files are what was committed, whatever attributes the repository and the user have', async () => {
  const repository = makeRepository()
  commitTree(repository, [
    ['100644', '.gitattributes', `* ${ATTRIBUTES}\nhidden export-ignore\n`],
    ['100644', 'Mu.yaml', stack('acme/db')],
    ['100644', 'hidden', TEXT],
    ['100755', 'text', TEXT],
  ])
  const attributes = join(scratchDirectory(), 'attributes')
  writeFileSync(attributes, `* ${ATTRIBUTES} export-ignore\n`)
  const git = gitOf({
    'core.attributesFile': attributes,
    'core.autocrlf': 'true',
    'core.eol': 'crlf',
    'filter.loud.smudge': 'tr a-z A-Z',
  })
  const shop = makeShop({ 'Mu.yaml': user('acme/db') }, { 'acme/db': repository.url })
  expect((await shop.fetch({ git })).failures).toStrictEqual([])
  const place = join(shop.root, '.Mudeps/hub.mu.com/acme/db')
  expect(filesIn(place)).toStrictEqual(['.gitattributes', '.origin.json', 'Mu.yaml', 'hidden', 'text'])
  expect([textIn(place, 'hidden'), textIn(place, 'text'), textIn(place, 'Mu.yaml')]).toStrictEqual([
    TEXT,
    TEXT,
    stack('acme/db'),
  ])
})
