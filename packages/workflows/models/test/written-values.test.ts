import { renderDiagnostic } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import { complaintOf, load, serviceOf, specOf } from './models-in.ts'

/** What looks like another value than the text that is written. */
const NUMBERS = ['1.10', '1e3', '9007199254740993', '1.0', '10', '-0', '1.50']
const OF_YAML = [...NUMBERS, '01443e5', '0123', '0x1F', '0o17', '.5', '+1', '1_000', '12:30:45', '.inf', '.nan']
const WORDS = ['yes', 'no', 'on', 'off', 'y', '2026-11-28', '1.2.3']

const INFRASTRUCTURE = { 'infrastructure.yaml': 'one: { properties: { hostname: a } }\n' }

function environmentOf(model: Awaited<ReturnType<typeof load>>) {
  const spec = specOf(model, 'web')
  return spec.kind === 'build' ? Object.fromEntries(spec.env) : {}
}

test.each([...OF_YAML, ...WORDS])('%s in YAML reaches builds and modules as it is written', async (text) => {
  const model = await load({
    'infrastructure.yaml': `one:
  properties: { hostname: a, version: ${text} }
  containers: { wrapper: { VERSION: ${text}, LIST: [${text}, { A: ${text} }] } }\n`,
    'services.yaml': `web:
  type: wrapper
  version: ${text}
  pkg: { build: { script: x, env: { VERSION: ${text} } } }\n`,
  })
  const [target] = [...model.infrastructure.values()]
  const container = [...(target?.containers.values() ?? [])][0]
  const list = container?.get('LIST') as readonly unknown[]
  const found = [
    environmentOf(model)['VERSION'],
    container?.get('VERSION'),
    target?.properties.get('version'),
    list[0],
    (list[1] as ReadonlyMap<string, unknown>).get('A'),
    serviceOf(model, 'web').attributes.get('version'),
  ]
  expect(found.map(String)).toEqual(found.map(() => text))
})

test.each(NUMBERS)('%s in JSON reaches builds and modules as it is written', async (text) => {
  const model = await load({
    'infrastructure.json': `{ "one": { "properties": {}, "containers": { "wrapper": { "VERSION": ${text} } } } }`,
    'services.json': `{ "web": { "type": "x", "pkg": { "build": { "script": "x", "env": { "VERSION": ${text} } } } } }`,
  })
  const container = [...(model.infrastructure.values().next().value?.containers.values() ?? [])][0]
  expect([environmentOf(model)['VERSION'], container?.get('VERSION')].map(String)).toEqual([text, text])
})

test.each(['123', '1.10', '0123', '01443e5', '0x1F', 'true', 'True', 'on', '1e3'])(
  '%s is a name wherever only names can be meant',
  async (name) => {
    const model = await load({
      'infrastructure.yaml': `${name}: { properties: { hostname: a, ${name}: b }, targetProperty: ${name}, containers: { ${name}: {} } }\n`,
      'services.yaml': `${name}: { type: ${name}, name: ${name}, providesContainer: ${name}, pkg: { source: . } }
web:
  type: x
  dependsOn: [${name}]
  connectsTo: { other: { service: ${name}, targets: [${name}] } }
  pkg: { build: { name: ${name}, script: ${name} } }\n`,
      'distribution.yaml': `${name}: [${name}]\nweb: [{ target: ${name}, container: ${name} }]\n`,
    })
    const [[target, { containers, targetProperty }] = ['', { containers: new Map() }]] = [...model.infrastructure]
    expect([target, ...containers.keys(), targetProperty]).toEqual([name, name, name])
    expect(serviceOf(model, name)).toMatchObject({
      name,
      type: name,
      providesContainer: name,
      targets: [{ target: name }],
    })
    expect(serviceOf(model, 'web')).toMatchObject({
      dependsOn: new Map([[name, { service: name }]]),
      connectsTo: new Map([['other', { service: name, targets: [{ target: name }] }]]),
      targets: [{ target: name, container: name }],
    })
    expect(specOf(model, 'web')).toMatchObject({ name, script: name })
  },
)

test('functions get values as they are written, and targets whose names are numbers', async () => {
  const model = await load({
    'infrastructure.yaml': '42: { properties: { hostname: a, version: 1.10 } }\n',
    'distribution.yaml': 'web: [42]\n',
    'services.mjs': `export default ({ distribution }) => ({
      web: { type: 'x', seen: distribution.web[0].properties.version, pkg: { source: '.' } },
    })\n`,
  })
  expect(serviceOf(model, 'web').attributes.get('seen')).toBe('1.10')
})

test.each([
  ['numOfCores', '4', 4],
  ['numOfCores', '1e1', 10],
])('%s: %s is a number', async (name, text, value) => {
  const model = await load({ 'infrastructure.yaml': `one: { properties: {}, ${name}: ${text} }\n` })
  expect(model.infrastructure.values().next().value).toMatchObject({ [name]: value })
})

test('numbers of builds may be written in any way in which they are the same', async () => {
  const model = await load({
    ...INFRASTRUCTURE,
    'services.yaml': 'web: { type: x, pkg: { build: { script: x, timeLimit: 1.5e1, sizeLimit: 2e3 } } }\n',
  })
  expect(specOf(model, 'web')).toMatchObject({ timeLimitSeconds: 15, sizeLimitBytes: 2000 })
})

test.each(['010', '0x10', '"4"'])('%s is refused as a number of cores', async (text) => {
  const loading = load({ 'infrastructure.yaml': `one: { properties: {}, numOfCores: ${text} }\n` })
  expect(await complaintOf(loading)).toContain('expected a number of cores (1, 2, ...)')
})

async function warningsOf(files: Readonly<Record<string, string>>) {
  const { warnings = [] } = await load(files)
  return warnings.map((warning) =>
    renderDiagnostic(warning)
      .replace(/^.*\//, '')
      .replace(/\n +\S.*\n +\^/, ''),
  )
}

test('values that programs may expect as numbers are warned of, and truth values that become another text', async () => {
  const warnings = await warningsOf({
    'infrastructure.yaml': `one:
  properties: { hostname: a, weight: 0.50, plain: 0.5, flag: true, no: No, yes: True }
  containers: { wrapper: { WEIGHT: 0.50, ON: true, OFF: [False], TEXT: "true" } }\n`,
    'services.yaml':
      'web: { type: x, port: 08080, pkg: { build: { script: x, env: { A: true, B: 1.10, C: "true" } } } }\n',
  })
  await expect(`${warnings.join('\n')}\n`).toMatchFileSnapshot('fixtures/ambiguous.txt')
})

test('truth values of programs are not warned of', async () => {
  const text = "export default { web: { type: 'x', pkg: { build: { script: 'x', env: { A: true } } } } }\n"
  expect(await warningsOf({ ...INFRASTRUCTURE, 'services.mjs': text })).toEqual([])
})

function typeAndVariable(text: string) {
  const services = `web: { type: ${text}, pkg: { build: { script: x, env: { A: ${text} } } } }\n`
  return complaintOf(load({ ...INFRASTRUCTURE, 'services.yaml': services }))
}

test.each(['null', '~', 'Null'])(
  'a null that is written as %j is refused, and says how text is written',
  async (text) => {
    const complaint = await typeAndVariable(text)
    expect(complaint.match(/got nothing \(null\)/g)).toHaveLength(2)
    expect(complaint.split(`hint: write "${text}" if text is meant`)).toHaveLength(3)
  },
)

test('what is not written at all is refused', async () => {
  const complaint = await typeAndVariable('')
  expect(complaint.match(/got nothing \(null\)/g)).toHaveLength(2)
  expect(complaint).not.toContain('if text is meant')
})
