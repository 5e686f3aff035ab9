import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Manifest, parseDocument } from '@davit/documents'
import { manifestOf } from '@davit/normalization'
import { expect, test } from 'vitest'
import { complaintOf } from './models-in.ts'
import { architectureFrom, loadNixIn, noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()
const directory = fileURLToPath(new URL('fixtures/nix-cases', import.meta.url))
const table = readFileSync(`${directory}/cases.tsv`, 'utf8').trim().split('\n')
const cases = table.map((line): [string, string[]] => {
  const [name = '', options = ''] = line.split('\t')
  return [name, options.split(' ').filter((word) => word.endsWith('.nix'))]
})

function expected(name: string): Manifest {
  const file = `${directory}/expected/${name}.xml`
  return parseDocument(Manifest, readFileSync(file, 'utf8').trim(), { file })
}

test.skipIf(noPrivateNix).each(cases.filter(([name]) => !name.startsWith('bad-')))(
  'case %s gives what the original toolset gives',
  async (name, names) => {
    const model = await loadNixIn(`${directory}/models`, names, { environment })
    const architecture = await architectureFrom(model, { environment })
    const manifest = manifestOf(architecture, new Map())
    const { services, infrastructure, serviceMappings, snapshotMappings } = expected(name)
    expect({ ...manifest, profiles: new Map() }).toEqual({
      profiles: new Map(),
      services,
      infrastructure,
      serviceMappings,
      snapshotMappings,
      store: architecture.store,
    })
  },
)

test.skipIf(noPrivateNix)('an unknown service in the distribution is reported with its place', async () => {
  const [, names = []] = cases.find(([name]) => name === 'bad-unknown-service') ?? []
  const model = await loadNixIn(`${directory}/models`, names, { environment })
  expect(await complaintOf(architectureFrom(model, { environment }), `${directory}/models`)).toMatchInlineSnapshot(`
    "distribution-unknown.nix:2:87: error: the distribution places unknown service 'HelloOther'
      oMySQLDB = [ infrastructure.test2 ]; HelloDBService = [ infrastructure.test1 ]; HelloOther = [ infrastructure.test1 ]; }
                                                                                      ^
    the models have an error"
  `)
})
