import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { normalizeModel } from '@davit/normalization'
import { environment } from '@davit/process'
import { removeTree } from '@davit/files'
import { openNativeStore } from '@davit/store'
import { expect, onTestFinished, test } from 'vitest'
import { linux, loadIn, modelsIn } from './models-in.ts'

const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')

/** Returns the code block after the first mention of a file as a model. */
function blockOf(file: string): string {
  const [, block] = new RegExp(`\`${file}\`[^]*?\n\`\`\`(?:yaml|ts)\n([^]*?)\`\`\`\n`).exec(readme) ?? []
  if (block === undefined) throw new Error(`the README has no ${file}`)
  return block
}

test("the README's example is the same packages in YAML and in TypeScript", async () => {
  const names = ['services.yaml', 'services.ts', 'infrastructure.yaml', 'distribution.yaml']
  const directory = modelsIn({
    ...Object.fromEntries(names.map((name) => [name, blockOf(name)])),
    'counter/bin/counter': 'count()\n',
    'web/web': 'answer()\n',
  })
  const store = await openNativeStore({ directory: join(directory, 'store'), environment: environment() })
  onTestFinished(() => removeTree(store.reference.directory))
  const options = { clientInterface: 'ssh', targetProperty: 'hostname', deployState: false, system: linux } as const
  const packagesOf = async (services: string) => {
    const model = await loadIn(directory, [services, 'infrastructure.yaml', 'distribution.yaml'])
    return store.instantiate(normalizeModel(model, { ...options, store: store.reference }).packageRequests)
  }
  const packages = await packagesOf('services.yaml')
  expect(packages).toHaveLength(2)
  expect(await packagesOf('services.ts')).toEqual(packages)
})
