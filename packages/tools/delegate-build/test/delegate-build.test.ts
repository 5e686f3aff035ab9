import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportEvent } from '@davit/diagnostics'
import {
  Architecture,
  BuildModel,
  type BuildSpec,
  encodeDocument,
  type Format,
  type InstantiatedPackage,
  parseDocument,
  type ServiceName,
  type System,
  validateDocument,
} from '@davit/documents'
import { environment } from '@davit/process'
import { currentSystem, type NativeStore, openNativeStore } from '@davit/store'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { tool } from '../src/main.ts'

const HERE = currentSystem(environment())
const ELSEWHERE = 'riscv64-linux' as System

test('--print says what each target is to have, its own packages first, and builds nothing', async () => {
  const { architecture, packages, store } = await scene()
  const [app, web, extra] = packages.map(({ derivation }) => derivation)
  const { printed, events } = await run({ architecture, print: true })
  expect(parseDocument(BuildModel, printed, { file: 'printed' })).toEqual({
    derivationMappings: [
      { derivation: app, interface: 'one' },
      { derivation: web, interface: 'one' },
      { derivation: extra, interface: 'two' },
      { derivation: web, interface: 'two' },
    ],
    interfaces: new Map([
      ['one', { targetAddress: 'one.example', clientInterface: 'local' }],
      ['two', { targetAddress: 'two.example', clientInterface: 'local' }],
    ]),
  })
  expect(printed.replaceAll(/\s*\n\s*/g, '')).toContain(
    `<distributedderivation version="2"><derivationMappings><mapping><derivation>${app}</derivation><interface>one</interface></mapping>`,
  )
  const json = await run({ architecture, print: true, format: 'json' })
  expect(JSON.parse(json.printed)).toMatchObject({ document: 'distributedderivation', version: 2 })
  expect(events).toEqual([])
  expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toHaveLength(3)
})

test('a build model is printed in another format', async () => {
  const { architecture, directory } = await scene()
  const { printed: xml } = await run({ architecture, print: true })
  const { printed: json } = await run({ build: written(directory, 'build.xml', xml), print: true, format: 'json' })
  expect((await run({ build: written(directory, 'build.json', json), print: true })).printed).toBe(xml)
})

test.each([
  ['a services model', { web: { type: 'process', pkg: { source: '.' } } }, 'was it meant for -s?'],
  ['an infrastructure model', { here: { properties: { hostname: 'h' } } }, 'was it meant for -i?'],
])('%s in JSON that is given as a build model is told as what it is', async (title, model, hint) => {
  const directory = scratchDirectory()
  const file = written(directory, 'model.json', JSON.stringify(model))
  const message = `expected a build model, but this looks like ${title}`
  await expect(run({ build: file })).rejects.toMatchObject({
    code: 'wrong-model',
    diagnostics: [{ message, hint, place: { file } }],
  })
})

test('packages are built by targets that need them; the architecture is printed as it was', async () => {
  const { architecture, packages, store } = await scene()
  const { printed, events } = await run({ architecture })
  expect(printed).toBe(architecture)
  expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toEqual([])
  expect(packages.map(({ outPath }) => readFileSync(outPath, 'utf8'))).toEqual(['app\n', 'web\n', 'extra\n'])
  const built = events.flatMap((event) => (event.kind === 'finished' ? [`${event.target}: ${event.step}`] : []))
  expect(built.filter((line) => line.includes('build')).toSorted()).toEqual([
    'one: build app',
    'one: build web',
    'two: build extra',
  ])
})

test('nobody is contacted when there is nothing to build, as the second time', async () => {
  const { architecture, packages, store } = await scene({ two: 'ssh' })
  await store.realise(packages, { report: () => {}, signal: new AbortController().signal })
  const { printed, events } = await run({ architecture })
  expect(printed).toBe(architecture)
  expect(events).toEqual([
    { kind: 'note', code: 'nothing-to-build', message: 'nothing to build: all packages are here', fields: {} },
  ])
})

test('a build model in any language is built, and printed as a document', async () => {
  const { architecture, packages, store, directory } = await scene()
  const { printed: model } = await run({ architecture, print: true })
  expect((await run({ build: written(directory, 'build.xml', `${model}\n`) })).printed).toBe(`${model}\n`)
  const { printed: json } = await run({ architecture, print: true, format: 'json' })
  const program = written(directory, 'build.ts', `export default ${json}`)
  const again = await run({ build: program })
  expect(again).toEqual({
    printed: model,
    events: [
      { kind: 'note', code: 'nothing-to-build', message: 'nothing to build: all packages are here', fields: {} },
    ],
  })
  expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toEqual([])
})

test('a failing build is shown with its log and target; the others are built', async () => {
  const { architecture, packages, store } = await scene({ script: 'echo "no compiler" >&2; exit 3' })
  const failing = run({ architecture })
  await expect(failing).rejects.toMatchObject({
    code: 'build-failed',
    exitStatus: 1,
    message: 'a package was not built',
    diagnostics: [{ message: expect.stringMatching(/^the build of 'web' on target 'one' [^]*no compiler/) }],
  })
  const missing = await store.invalidPaths(packages.map(({ outPath }) => outPath))
  expect(missing).toEqual([packages[1]?.outPath])
})

test('packages for a platform that no target has are named, before any target is contacted', async () => {
  const { architecture } = await scene({ system: ELSEWHERE, two: 'ssh' })
  await expect(run({ architecture })).rejects.toMatchObject({
    code: 'wrong-system',
    diagnostics: [
      {
        message: `'app' must be built on riscv64-linux, but no target has that platform; it is needed on 'one' (${HERE})`,
      },
    ],
  })
})

test('an architecture and a build model cannot be combined', async () => {
  await expect(run({ build: 'build.xml', operand: 'architecture.json' })).rejects.toMatchObject({
    code: 'usage',
    message: 'an architecture and a build model cannot be combined',
  })
})

interface SceneOptions {
  /** Client interface of `two`. */
  readonly two?: 'local' | 'ssh'
  /** Build script of `web`. */
  readonly script?: string
  /** System of `app`. */
  readonly system?: System
}

/** `app` and `web` are wanted on one, `extra` and `web` on two. */
async function scene({ two = 'local', script, system = HERE }: SceneOptions = {}) {
  const directory = scratchDirectory()
  const store = await openNativeStore({ directory: join(directory, 'store'), environment: environment() })
  const packages = await instantiate(store, { script, system })
  const [app, web, extra] = packages.map((one) => ({ ...one }))
  const architecture = validateDocument(
    Architecture,
    {
      store: { ...store.reference },
      services: { web: service(web, ['one', 'two']) },
      infrastructure: { one: target('one', 'local'), two: target('two', two) },
      targetPackages: { one: [app], two: [extra] },
    },
    { file: 'architecture' },
  )
  return { directory, store, packages, architecture: encodeDocument(Architecture, architecture, 'json') }
}

function instantiate(
  store: NativeStore,
  { script, system }: { readonly script: string | undefined; readonly system: System },
): Promise<readonly InstantiatedPackage[]> {
  const request = (spec: BuildSpec, forSystem = HERE) => {
    return { spec, system: forSystem, wantedBy: { service: 'web' as ServiceName } }
  }
  return store.instantiate([request(build('app'), system), request(build('web', script)), request(build('extra'))])
}

function build(name: string, script = `echo ${name} >$out`): BuildSpec {
  const nothing = new Map<string, never>()
  return { kind: 'build', name, script, sources: nothing, env: nothing, inputs: nothing, network: false }
}

function service(web: unknown, targets: readonly string[]): object {
  const none = { dependsOn: {}, connectsTo: {}, activatesAfter: {}, attributes: {}, providesContainers: {} }
  const placed = targets.map((name) => ({ target: name, container: 'process' }))
  return { name: 'web', type: 'process', deployState: false, ...none, targets: placed, packages: { [HERE]: web } }
}

function target(name: string, clientInterface: string): object {
  const properties = { hostname: `${name}.example` }
  return { properties, containers: {}, system: HERE, numOfCores: 2, clientInterface, targetProperty: 'hostname' }
}

function written(directory: string, name: string, text: string): string {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}

interface Call {
  /** Text on standard input. */
  readonly architecture?: string
  readonly operand?: string
  readonly build?: string
  readonly print?: boolean
  readonly format?: 'xml' | 'json'
}

async function run({ architecture = '', operand, build: model, print = false, format = 'xml' }: Call) {
  const state = scratchDirectory()
  let printed = ''
  const events: ReportEvent[] = []
  const readInput = async (file: string | undefined) =>
    file === undefined ? { text: architecture, file: '<stdin>' } : { text: readFileSync(file, 'utf8'), file }
  await tool.run({
    args: {
      architecture: operand,
      build: model,
      print,
      format,
      useSubstitutes: false,
      trustBuilds: false,
      maxConcurrentTransfers: 4,
      output: undefined,
    },
    print: async (content) => void (printed += String(content)),
    report: (event) => void events.push(event),
    signal: new AbortController().signal,
    environment: { ...environment(), DAVIT_STATE_DIR: state },
    workingDirectory: '/',
    privileged: false,
    executable: 'davit-delegate-build',
    readInput,
    async readDocument<Value>(document: Format<Value>, file: string | undefined) {
      const input = await readInput(file)
      return { ...input, value: parseDocument(document, input.text, { file: input.file }) }
    },
    journal() {},
    runInForeground: () => Promise.reject(new Error('it runs nothing')),
    runSteps: async () => 0,
  })
  return { printed, events }
}
