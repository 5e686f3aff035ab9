import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { durableStepsOf, noStrace } from '@davit/testing/system-calls'
import { expect, test } from 'vitest'
import { programCompiler } from '../../../../scripts/test.d/program-compiler.ts'
import { makeRepository, stack, user } from './testing.ts'

const compile = programCompiler()
const program = new URL('testing.ts', import.meta.url).pathname

/** Fetches a stack, and returns what happened below the directory of fetched stacks, until it had its place and after that. */
async function stepsOf(tree: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const repository = makeRepository()
  repository.commit({ 'Mu.yaml': stack('acme/db'), ...tree })
  const directory = scratchDirectory()
  mkdirSync(join(directory, 'shop'))
  const compiled = await compile(`import { makeShopIn } from '${program}'
    const shop = makeShopIn('${directory}', { 'Mu.yaml': ${JSON.stringify(user('acme/db'))} }, { 'acme/db': '${repository.url}' })
    const { failures } = await shop.fetch()
    if (failures.length > 0) throw failures[0].error`)
  return durableStepsOf(compiled)
    .filter((step) => step.includes(`${directory}/shop/.Mudeps`) || step === 'synced everything')
    .map((step) => step.replaceAll(`${directory}/shop/.Mudeps`, 'D').replaceAll(/\.fetching-[\d.]+/g, 'ASIDE'))
    .filter((step) => !step.startsWith('created') && !step.includes('.davit-'))
}

const PLACED = ['renamed D/ASIDE/stack D/hub.mu.com/acme/db', 'synced D/hub.mu.com/acme']

test.skipIf(noStrace !== undefined)(
  'all of a stack is on the disk before it gets its place, and then that is',
  async () => {
    const steps = await stepsOf({ 'a/text': 'x' })
    const place = steps.indexOf(PLACED[0] ?? '')
    expect(steps.slice(place)).toStrictEqual(PLACED)
    for (const path of ['', '/Mu.yaml', '/a', '/a/text', '/.origin.json'])
      expect(steps.slice(0, place)).toContain(`synced D/ASIDE/stack${path}`)
  },
)

test.skipIf(noStrace !== undefined)('a large stack is synced with its file system', async () => {
  const files = Array.from({ length: 70 }, (_, index) => [`f${index}`, ''])
  const steps = await stepsOf(Object.fromEntries(files) as Record<string, string>)
  expect(steps.slice(-3)).toStrictEqual(['synced everything', ...PLACED])
})
