import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DavitError, renderDiagnostic } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { normalizeModel } from '@davit/normalization'
import { patience, runs, tellFigure } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functionContexts } from '../src/reading/function-context.ts'
import { assembleArchitecture } from '../src/assemble-architecture.ts'
import { parametersForModels } from '../src/languages/extra-parameters.ts'
import type { Model } from '../src/reading/model.ts'
import { loadArchitecture } from '../src/models.ts'
import { collectingProblems } from '../src/reading/problems.ts'
import { scriptFailure } from '../src/languages/script-failure.ts'

const system = 'x86_64-linux' as System
const OPTIONS = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system,
  store: { kind: 'native', directory: '/var/lib/davit/store' },
} as const

let directory: string
let inputs = 0
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'davit-fuzzing-'))))
afterAll(() => {
  rmSync(directory, { recursive: true })
  tellFigure(`models: ${inputs} hostile inputs, each an architecture or diagnostics`)
})

/** Expects a value, or diagnostics of limited length. */
async function expectAnswer(work: () => Promise<unknown>): Promise<DavitError | undefined> {
  inputs += 1
  const error: unknown = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error === undefined) return undefined
  if (!(error instanceof DavitError)) throw error
  const texts = [error.message, ...error.diagnostics.map(renderDiagnostic)]
  expect([64, 65, 66]).toContain(error.exitStatus)
  expect(texts.filter((text) => text.length > 8_000)).toEqual([])
  return error
}

const MODELS = {
  infrastructure: {
    alpha: { properties: { hostname: 'a' }, containers: { process: { port: 1 } }, numOfCores: 2, system },
    beta: {
      properties: { hostname: 'b', list: [1, 'x', { y: true }] },
      clientInterface: 'local',
      targetProperty: 'hostname',
    },
  },
  distribution: { web: ['alpha', { target: 'beta', container: 'process' }], db: { targets: ['beta'] } },
  services: {
    db: { type: 'process', pkg: { source: '.' }, providesContainer: 'c', providesContainers: { d: { p: 1 } } },
    web: {
      name: 'web',
      type: 'process',
      deployState: true,
      dependsOn: ['db'],
      connectsTo: { d: { service: 'db', targets: ['beta'] } },
      activatesAfter: { e: 'db' },
      pkg: {
        build: {
          name: 'w',
          script: 'x',
          env: { A: '${db.name}' },
          sources: { s: '.' },
          inputs: {},
          network: true,
          timeLimit: 3,
          sizeLimit: '3 GB',
        },
      },
      port: 8080,
    },
  },
}
type Role = keyof typeof MODELS
const ROLES = Object.keys(MODELS) as Role[]

const failureOf = (file: string) => (thrown: unknown) =>
  scriptFailure(thrown, { file, outputs: [], showFile: (path) => path })
const modelOf = (role: Role, value: unknown): Model => {
  const place = () => ({ file: `${role}.ts` })
  const file = `${role}.ts`
  const places = { placeOf: place, placeOfKey: place, failureOf: failureOf(role) }
  return { file, sources: () => [], directory: '/', value, ...places }
}

async function normalized(values: Readonly<Record<Role, unknown>>): Promise<void> {
  const [infrastructure, distribution, services] = ROLES.map((role) => modelOf(role, values[role])) as [
    Model,
    Model,
    Model,
  ]
  const { result } = await collectingProblems((problems) =>
    assembleArchitecture(
      { infrastructure, distribution, services },
      { system, contextFor: functionContexts({}).contextFor, problems },
    ),
  )
  normalizeModel({ ...result, placeOf: (path) => result.placeOf(path) }, OPTIONS)
}

/** Values that programs make; errors thrown inside of models are their own. */
const anything = fc.oneof(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 3,
  }),
  fc.constantFrom<unknown>(
    Symbol('s'),
    () => 1,
    Promise.resolve(1),
    Number.NaN,
    -0,
    2 ** 60,
    Object.create({}),
    new Proxy({}, {}),
    class Empty extends Object {},
  ),
  awkwardText,
  fc.constantFrom('alpha', 'beta', 'db', 'web', 'process', '__proto__', '', '-x', '$(touch x)', 'a\nb'),
)

type Way = readonly (string | number)[]

/** Every path into a value. */
function waysInto(value: unknown, way: Way = []): Way[] {
  if (typeof value !== 'object' || value === null) return [way]
  return [way, ...Object.entries(value).flatMap(([key, member]) => waysInto(member, [...way, key]))]
}

function replaced(value: unknown, [step, ...rest]: Way, by: unknown): unknown {
  if (step === undefined) return by
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === String(step) ? replaced(item, rest, by) : item))
  return Object.fromEntries(
    Object.entries(value as object).map(([key, member]) => [key, key === step ? replaced(member, rest, by) : member]),
  )
}

describe('fuzzing', patience, () => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...waysInto(MODELS).slice(1)), anything), {
    minLength: 1,
    maxLength: 3,
  })

  test('unexpected values that programs make', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const values = list.reduce((models: unknown, [way, by]) => {
          return waysInto(models).some((known) => JSON.stringify(known) === JSON.stringify(way))
            ? replaced(models, way, by)
            : models
        }, MODELS)
        await expectAnswer(() => normalized(values as typeof MODELS))
      }),
      runs(400),
    )
  })

  test('values that programs make, in place of everything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROLES), anything, async (role, value) => {
        await expectAnswer(() => normalized({ ...MODELS, [role]: value }))
      }),
      runs(200),
    )
  })

  test.each(['json', 'yaml', 'xml'])('files in %s, mutated: every problem has a place', async (language) => {
    const xml = `<infrastructure version="2"><target name="alpha"><properties type="attrs"><property name="hostname" type="string">a</property></properties><containers><container name="process"><property name="port" type="int">1</property></container></containers><numOfCores>2</numOfCores></target><target name="beta"/></infrastructure>`
    const role = language === 'xml' ? fc.constant<Role>('infrastructure') : fc.constantFrom(...ROLES)
    const textOf = (name: Role) => (language === 'xml' ? xml : JSON.stringify(MODELS[name], null, 1))
    const files = Object.fromEntries(ROLES.map((name) => [name, join(directory, `${name}.json`)])) as Record<
      Role,
      string
    >
    for (const name of ROLES) writeFileSync(files[name], JSON.stringify(MODELS[name]))
    const changed = role.chain((name) => fc.tuple(fc.constant(name), mutationsOf([textOf(name)])))
    await fc.assert(
      fc.asyncProperty(changed, async ([name, text]) => {
        const file = join(directory, `changed.${language}`)
        writeFileSync(file, text)
        const error = await expectAnswer(async () => {
          const model = await loadArchitecture({ ...files, [name]: file }, { system })
          normalizeModel({ ...model, placeOf: (path) => model.placeOf(path) }, OPTIONS)
        })
        const placeless = error?.diagnostics.filter(
          ({ place }) => place?.file === file && !(place.line && place.column),
        )
        expect(placeless ?? []).toEqual([])
      }),
      runs(60),
    )
  })

  // Arguments of processes cannot contain NUL.
  test('extra parameters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutationsOf(['{"port": 8080, "a": [1, null]}']), awkwardText), async (text) => {
        await expectAnswer(() =>
          parametersForModels(text.replaceAll('\0', ''), { needsValues: true, environment: { PATH: '/nowhere' } }),
        )
      }),
      runs(200),
    )
  })
})
