import { join } from 'node:path'
import { renderDiagnostic } from '@davit/diagnostics'
import { Float } from '@davit/languages'
import { describe, expect, test } from 'vitest'
import { kindOfModel, languageOf, loadDeploymentModel, loadPlainData, type PlainData } from '../src/models.ts'
import { complaintOf, modelsIn } from './models-in.ts'
import { noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment, shell } = privateNixOfFile()

async function load(name: string, text: string): Promise<PlainData & { readonly said: readonly string[] }> {
  const directory = modelsIn({ [name]: text })
  const loaded = await loadPlainData(join(directory, name), { environment })
  const said = loaded.leftOut.map((one) =>
    renderDiagnostic({ severity: 'error', ...one }).replaceAll(`${directory}/`, ''),
  )
  return { ...loaded, said }
}

describe('loadPlainData() of TypeScript', () => {
  test('reads a value, floating-point numbers included', async () => {
    const text =
      "import { float } from 'davit'\nexport default { a: [float(1), float(0.5), 1, 'b'], ['__proto__']: { c: null } }"
    const { data, said } = await load('x.ts', text)
    expect(said).toEqual([])
    expect(data).toEqual(
      new Map<string, unknown>([
        ['a', [new Float(1), 0.5, 1, 'b']],
        ['__proto__', new Map([['c', null]])],
      ]),
    )
  })

  test('leaves out what is not data, and says where', async () => {
    const text = 'export default { a: { f: () => 1 }, b: [1, undefined, new Date(0), 2], c: Infinity, d: 2 ** 60 }'
    const { data, said } = await load('x.ts', text)
    expect(data).toEqual(
      new Map<string, unknown>([
        ['a', new Map()],
        ['b', [1, 2]],
      ]),
    )
    expect(said).toEqual([
      'x.ts: a.f: error: expected data, but got a function',
      'x.ts: b[1]: error: expected data, but got nothing (undefined)',
      'x.ts: b[2]: error: expected data, but got an instance of Date',
      'x.ts: c: error: expected data, but got the number Infinity',
      'x.ts: d: error: expected data, but got the number 1152921504606847000',
    ])
  })

  test('refuses a function', async () => {
    const directory = modelsIn({ 'x.ts': 'export default () => ({})' })
    expect(await complaintOf(loadPlainData(join(directory, 'x.ts')), directory)).toBe(
      "x.ts: error: expected data, but got a function\n'x.ts' is not data\n" +
        'hint: a function has a value only when it is called: convert a file that contains the value',
    )
  })

  test.each(['const a: any = {}; a.a = a; export default a', 'export default { a: new Array(4e9) }'])(
    'refuses a value without bounds: %s',
    async (text) => {
      const directory = modelsIn({ 'x.ts': text })
      expect(await complaintOf(loadPlainData(join(directory, 'x.ts')), directory)).toMatch(
        /^the value of 'x\.ts' (?:is nested more than 200 levels deep|contains more than 2000000 values), or contains itself$/,
      )
    },
  )
})

describe.skipIf(noPrivateNix !== undefined)('loadPlainData() of Nix', () => {
  test('reads a value with its places', async () => {
    const { data, said, placeOf } = await load('x.nix', '{\n  a = [ 1.0 0.5 1 "b" ];\n  b."$float" = true;\n}\n')
    expect(said).toEqual([])
    expect(data).toEqual(
      new Map<string, unknown>([
        ['a', [new Float(1), 0.5, 1, 'b']],
        ['b', new Map([['$float', true]])],
      ]),
    )
    expect(placeOf(['b', '$float'])).toMatchObject({ line: 3, column: 3 })
  })

  test('leaves out what is not data, and says where', async () => {
    const text = '{\n  a.f = x: x;\n  b = [ 1 null ./x.nix 2 ];\n  c = 9007199254740993;\n}\n'
    const { data, said } = await load('x.nix', text)
    expect(data).toEqual(
      new Map<string, unknown>([
        ['a', new Map()],
        ['b', [1, 2]],
      ]),
    )
    expect(said.map((line) => line.split('\n')[0])).toEqual([
      'x.nix:2:3: error: expected data, but got a function',
      'x.nix:3:3: error: expected data, but got nothing (null)',
      'x.nix:3:3: error: expected data, but got a path',
      'x.nix:4:3: error: expected data, but got a bigint',
    ])
  })

  test('takes a derivation for its output path, and does not write it to the store', async () => {
    const text = 'let drv = derivation { name = "a"; system = "x"; builder = "b"; }; in { a = drv; b = drv + "/bin"; }'
    const { data, said } = await load('x.nix', text)
    expect(said).toEqual([])
    const { a, b } = Object.fromEntries(data as ReadonlyMap<string, string>)
    expect(a).toMatch(/^\/nix\/store\/[0-9a-z]{32}-a$/)
    expect(b).toBe(`${a}/bin`)
    expect(shell('ls /nix/store')).not.toContain('-a.drv')
  })

  test.each([
    ['{ infrastructure, ... }:\n{ }', 'x.nix:1:3: error: expected data, but got a function'],
    ['a: a', 'x.nix: error: expected data, but got a function'],
  ])('refuses a function: %j', async (text, expected) => {
    const directory = modelsIn({ 'x.nix': text })
    const complaint = await complaintOf(loadPlainData(join(directory, 'x.nix'), { environment }), directory)
    expect(complaint).toContain(expected)
    expect(complaint).toContain("'x.nix' is not data")
  })
})

test('loadDeploymentModel() reads floating-point numbers of programs', async () => {
  const text =
    "import { defineDeploymentModel, float } from 'davit'\n" +
    'export default defineDeploymentModel({ infrastructure: { a: { properties: { weight: float(1), half: float(0.5) } } } })'
  const directory = modelsIn({ 'deployment.ts': text })
  const { infrastructure } = await loadDeploymentModel(join(directory, 'deployment.ts'))
  const [target] = infrastructure.values()
  expect(target?.properties).toEqual(
    new Map<string, unknown>([
      ['half', 0.5],
      ['weight', new Float(1)],
    ]),
  )
})

test.each([
  ['a.ts', 'script'],
  ['b/a.yml', 'yaml'],
  ['a.nix', 'nix'],
  ['a.txt', undefined],
  ['-', undefined],
])('languageOf() tells the language of %s', (file, language) => {
  expect(languageOf(file)).toBe(language)
})

test.each([
  [{ web: { pkg: {} } }, 'services'],
  [{ a: { properties: {} } }, 'infrastructure'],
  [{ web: ['a'] }, 'distribution'],
  [{}, undefined],
])('kindOfModel() recognises %j', (value, kind) => {
  expect(kindOfModel(value)).toBe(kind)
})
