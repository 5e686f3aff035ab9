import { parseWorkspace } from '@davit/stack'
import { expect, test } from 'vitest'
import { emissionOf, stackOf, targetsNamed } from './testing.ts'

type Setup = Parameters<typeof emissionOf>[1]

/** What a user reads, with the line of the workspace file if it is there. */
function told(texts: Parameters<typeof emissionOf>[0], setup?: Setup) {
  const { kind, findings } = emissionOf(texts, setup)
  return [kind, ...findings.map(({ code, message, hint, place }) => `${place?.file}: ${code} ${message}; ${hint}`)]
}

const WEB = stackOf({ w: 'type: mu/container, command: [x]' })

function placing(placement: string): Setup {
  return {
    workspace: parsed(`clusters: { test: { default: true, infrastructure: i, placement: { ${placement} } } }`),
    cluster: 'test',
  }
}

function parsed(text: string) {
  return parseWorkspace({ name: 'Muspace.yaml', text }).workspace
}

test('a stack without anything to run is refused: to deploy it would be to undeploy everything', () => {
  expect(told({ 'Mu.yaml': 'name: house\nabstract: true\n' })).toEqual([
    'refused',
    "Mu.yaml: MU505 'house' is abstract, so there is nothing to deploy; name a stack that is based on it",
  ])
  expect(told({ 'Mu.yaml': `name: house\nabstract: true\n${WEB['Mu.yaml']?.replace(/^name.*\n/, '')}` })[0]).toBe(
    'refused',
  )
  expect(told({ 'Mu.yaml': 'name: box\nintrinsic: true\n' })).toEqual([
    'refused',
    "Mu.yaml: MU504 'box' has no services, so there is nothing to deploy; give it a service, or `abstract: true`",
  ])
})

test('too few targets are told with what keeps a service from the others', () => {
  const scaled = stackOf({ w: 'type: mu/container, command: [x]', s: 'type: mu/autoscaler, target: w, replicas: 3' })
  expect(told(scaled)).toEqual([
    'refused',
    "Mu.yaml: MU611 'shop/w' runs 3 times, each on a target of its own, but 2 targets can take it; the targets are 'one', 'two'; those with a container 'process' can take it",
  ])
  expect(told(WEB, { targets: targetsNamed(['one'], ['echo']) })[1]).toContain(
    "a container 'process'; the targets are 'one'",
  )
  expect(told(WEB, { targets: new Map() })[1]).toContain('; the infrastructure has no targets')
  expect(told(WEB, placing('shop/w: [oen]'))).toEqual([
    'refused',
    "Muspace.yaml: MU104 'shop/w' is placed on 'oen', which is no target; did you mean 'one'?",
    "Mu.yaml: MU611 no target can take 'shop/w', which needs a container 'process'; `placement` of the cluster allows only 'oen'; the targets are 'one', 'two'",
  ])
})

test('ports that another service takes are told with it', () => {
  const listening = stackOf({
    v: 'type: mu/container, command: [x], port: 7',
    w: 'type: mu/container, command: [x], port: 7',
  })
  expect(told(listening, { targets: targetsNamed(['one']) })).toEqual([
    'refused',
    "Mu.yaml: MU612 port '7' of 'shop/w' is taken by 'shop/v', and no other place is left; 'shop/v' has 7 on 'one'; change ports, or add targets",
  ])
  const several = stackOf({
    u: 'type: mu/container, command: [x], port: 7',
    v: 'type: mu/container, command: [x], port: 7',
    w: 'type: mu/container, command: [x], port: 7',
  })
  expect(told(several, placing('shop/u: [one], shop/v: [two]'))[1]).toMatch(
    /MU612 port '7' of 'shop\/w' is taken by 'shop\/[uv]', and no other place is left; 'shop\/u' has 7 on 'one', 'shop\/v' has 7 on 'two'; /,
  )
})

test('a service whose volume must be elsewhere is told with both', () => {
  const apart = stackOf({ v: 'type: mu/volume', w: 'type: mu/container, command: [x], volumes: { D: v }' })
  expect(told(apart, placing('shop/v: [two], shop/w: [one]'))).toEqual([
    'refused',
    "Mu.yaml: MU611 no target can take 'shop/v', which needs a container 'fileset'; services and their volumes are on the same targets: 'shop/v' can be on 'two'; 'shop/w' can be on 'one'",
  ])
})

test.each([
  ['one service', 'shop/w: [one]', []],
  ['all of them', '"shop/**": [one]', []],
  ['everything', '"**": [one]', []],
  ['another stack', 'shop2/w: [one]', []],
  [
    'a service that is not there',
    'shop/v: [one]',
    ["'shop/v' is placed, but is no service of 'shop' that runs; did you mean 'shop/w'?"],
  ],
  [
    'what has services of its own',
    'shop/in: [one]',
    ["'shop/in' is placed, but is no service of 'shop' that runs; 'shop/in/**' is all that is below it"],
  ],
  [
    'a target that is not there',
    '"shop/**": [one, tow]',
    ["'shop/**' is placed on 'tow', which is no target; did you mean 'two'?"],
  ],
])('a placement of %s', (_, placement, warnings) => {
  const inner = 'name: inner\nservices: { public: { v: { type: mu/container, command: [x] } } }\n'
  const texts = { ...stackOf({ w: 'type: mu/container, command: [x]', in: 'type: inner' }), 'inner/Mu.yaml': inner }
  const expected = warnings.map((warning) => `Muspace.yaml: MU104 ${warning}`)
  expect(told(texts, placing(placement))).toEqual(['emitted', ...expected])
})

test.each([
  ['0', "'shop/s' cannot run 'shop/w' 0 times"],
  ['1.5', "'shop/s' cannot run 'shop/w' 1.5 times"],
])('an autoscaler with %s replicas is told with that number', (count, message) => {
  const texts = stackOf({
    w: 'type: mu/container, command: [x]',
    s: `type: mu/autoscaler, target: w, replicas: ${count}`,
  })
  expect(told(texts)).toEqual([
    'refused',
    `Mu.yaml: MU610 ${message}; \`replicas\` or \`min\` are whole numbers above 0`,
  ])
})
