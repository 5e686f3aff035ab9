import { expect, test } from 'vitest'
import { chooseTarget, NO_WORKSPACE, parseWorkspace, type TargetChoice } from '../src/stack.ts'

function told(text: string, name = 'Muspace.yaml') {
  return parseWorkspace({ name, text }).findings.map(({ code, subjects, place }) => [code, subjects, place?.line])
}

test('a workspace file', () => {
  const { workspace, findings } = parseWorkspace({
    name: 'Muspace.yaml',
    text: `
namespace: acme
clusters:
  b: { default: true, cloud: aws, scheduler: ecs, settings: { a: [1, { __proto__: x }] } }
  a: { description: 1.10, infrastructure: i.yaml, placement: { "x/**": [t1] } }
dependencies: { acme/db: ^1.0.6, aws/...: 1234567, x.y/z: latest }
repositories: { acme/...: "ssh://git@host/stacks.git" }`,
  })
  expect(findings).toEqual([])
  expect(workspace.namespace).toBe('acme')
  expect([...workspace.clusters.keys()]).toEqual(['a', 'b'])
  expect(workspace.clusters.get('a')).toMatchObject({ description: '1.10', infrastructure: 'i.yaml', isDefault: false })
  expect([...(workspace.clusters.get('a')?.placement ?? [])]).toEqual([['x/**', ['t1']]])
  expect(workspace.clusters.get('b')?.settings).toEqual(new Map([['a', [1, new Map([['__proto__', 'x']])]]]))
  expect([...workspace.pins.stacks]).toEqual([
    ['hub.mu.com/acme/db', '^1.0.6'],
    ['x.y/z', 'latest'],
  ])
  expect([...workspace.pins.namespaces]).toEqual([['hub.mu.com/aws/', '1234567']])
  expect(workspace.repositories).toMatchObject([{ prefix: 'hub.mu.com/acme/', url: 'ssh://git@host/stacks.git' }])
})

test.each<[string, string, unknown]>([
  ['an empty file', '', []],
  ['markup, once', 'a: [\nb: {', [['MU152', [], 2]]],
  ['a list', '- a', [['MU152', [], 1]]],
  [
    'unknown keys',
    'cluster: {}\nclusters: { a: { clowd: x } }',
    [
      ['MU104', ['cluster'], 1],
      ['MU104', ['clowd'], 2],
    ],
  ],
  [
    'wrong shapes',
    'namespace: []\nclusters:\n  a: x\n  b: { default: "true", settings: [] }',
    [
      ['MU152', [], 3],
      ['MU152', [], 4],
      ['MU152', [], 4],
      ['MU152', [], 1],
    ],
  ],
  [
    'references with versions, and what is no reference or spec',
    'dependencies:\n  a@1.0.0: latest\n  b: "1.0"\n  c-d: latest\n  ...: latest\n  e:',
    [
      ['MU156', ['...'], 5],
      ['MU156', ['a@1.0.0'], 2],
      ['MU156', ['b'], 3],
      ['MU156', ['c-d'], 4],
      ['MU156', ['e'], 6],
    ],
  ],
])('parseWorkspace() of %s', (_, text, findings) => {
  expect(told(text)).toEqual(findings)
})

test.each<[string, Partial<TargetChoice>, string, string]>([
  ['clusters:\n  c:\n    cloud: awz', {}, '3:12', "unknown cloud 'awz'"],
  ['clusters:\n  c:\n    scheduler: x', {}, '3:16', "unknown scheduler 'x'"],
  [
    'clusters:\n  c:\n    cloud: gcp\n    scheduler: ecs',
    {},
    '3:12',
    "the cloud 'gcp' does not have the scheduler 'ecs'",
  ],
  ['clusters:\n  c:\n    cloud: gcp', {}, '3:12', "there is no back end for 'gcp'"],
  [
    'clusters:\n  c:\n    cloud: gcp',
    { target: 'aws' },
    '3:12',
    "the target 'aws' is not that of cluster 'c', which is 'gcp'",
  ],
  ['clusters:\n  c:', {}, '2:3', 'there is no target to make code for'],
  [
    'clusters:\n  c: { default: true }\n  d: { default: true }',
    { cluster: undefined },
    '3:3',
    "several clusters are the default: 'c', 'd'",
  ],
])('what is wrong with the target of a cluster is told there: %j with %j', (text, choice, at, message) => {
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text })
  const defaults = { cluster: 'c', target: undefined, hasInfrastructure: false, skipsCode: false }
  const { findings } = chooseTarget(workspace, { ...defaults, ...choice })
  const told = findings.map(({ place, ...one }) => [`${place?.file}:${place?.line}:${place?.column}`, one.message])
  expect(told).toEqual([[`Muspace.yaml:${at}`, message]])
})

const ANYWHERE = ['swarm', 'kubernetes', 'mesos']

test.each([
  ['aws', [...ANYWHERE, 'ecs']],
  ['gcp', [...ANYWHERE, 'gke']],
  ['azure', [...ANYWHERE, 'acs']],
  ['vmware', ANYWHERE],
  ['machines', []],
])('%s has the schedulers %j', (cloud, schedulers) => {
  const fitting = [...ANYWHERE, 'ecs', 'gke', 'acs'].filter((scheduler) => {
    const chosen = choose('', { target: `${cloud}:${scheduler}`, skipsCode: true })
    return JSON.stringify(chosen) === JSON.stringify([undefined, cloud, scheduler])
  })
  expect(fitting).toEqual(schedulers)
})

test.each([
  ['a: [', "expected ']' before this, or more indentation: a bracket is still open"],
  ['cluster: {}', "unknown key 'cluster'"],
  ['clusters: x', "'clusters' must be a table, but is 'x'"],
  ['clusters: { a: x }', "cluster 'a' must be a table, but is 'x'"],
  ['clusters: { a: { placement: { b: x } } }', "the targets of 'b' must be a list, but is 'x'"],
  ['clusters: { a: { placement: { b: [[]] } } }', 'a target must be text, but is a list'],
  ['dependencies: { b: "1.0" }', "'1.0' is no version that 'b' could have"],
  ['dependencies: { b: [] }', "the version of 'b' must be text, but is a list"],
  ['dependencies: { b@1.0.0: latest }', "'b@1.0.0' is no reference to a stack"],
  ['repositories: { b: [] }', "the repository of 'b' must be text, but is a list"],
])('parseWorkspace() of %j says what is wrong', (text, message) => {
  const { findings } = parseWorkspace({ name: 'Muspace.yaml', text })
  expect(findings.map((one) => one.message)).toEqual([message])
})

test('a namespace or a repository without text is none', () => {
  const { workspace, findings } = parseWorkspace({ name: 'Muspace.yaml', text: 'namespace: ""\nrepositories: { a: }' })
  expect([workspace.namespace, workspace.repositories, findings]).toEqual([undefined, [], []])
})

test('a workspace file is not expanded', () => {
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text: 'namespace: "{{upper `a`}}"' })
  expect(workspace.namespace).toBe('{{upper `a`}}')
})

test('a workspace file called JSON is JSON', () => {
  expect(told('namespace: a', 'Muspace.json')).toEqual([['MU152', [], 1]])
  expect(told('namespace: a', '.mu/workspace.yml')).toEqual([])
})

test('repositories of what is no reference are refused', () => {
  expect(told('repositories: { a-b: x, c@1.0.0: y, d: z }')).toEqual([
    ['MU156', ['a-b'], 1],
    ['MU156', ['c@1.0.0'], 1],
  ])
})

const CLUSTERS = `
clusters:
  north: { cloud: aws, scheduler: ecs }
  plain: { cloud: aws }
  open: {}
  own: { infrastructure: i.yaml }
  odd: { cloud: awz, scheduler: esc }
  pair: { cloud: gcp, scheduler: ecs }
  box: { cloud: machines, scheduler: swarm }
  vm: { cloud: vmware }
  half: { scheduler: ecs }
`

function choose(text: string, choice: Partial<TargetChoice>) {
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text })
  const defaults = { cluster: undefined, target: undefined, hasInfrastructure: false, skipsCode: false }
  const { findings, cloud, scheduler, cluster } = chooseTarget(workspace, { ...defaults, ...choice })
  return findings.length > 0
    ? findings.map(({ code, subjects }) => [code, ...subjects])
    : [cluster?.name, cloud, scheduler]
}

test.each<[string, Partial<TargetChoice>, unknown]>([
  ['a cluster', { cluster: 'north' }, ['north', 'aws', 'ecs']],
  ['a cluster that there is not', { cluster: 'nort' }, [['MU124', 'nort']]],
  ['machines, by an infrastructure', { cluster: 'own' }, ['own', 'machines', undefined]],
  ['machines, by -i', { hasInfrastructure: true }, [undefined, 'machines', undefined]],
  [
    '-i for a cluster of another cloud',
    { cluster: 'plain', hasInfrastructure: true },
    [['MU123', 'machines', 'plain', 'aws']],
  ],
  ['-t alone', { target: 'aws:ecs' }, [undefined, 'aws', 'ecs']],
  ['-t adds what the cluster leaves out', { cluster: 'plain', target: 'aws:ecs' }, ['plain', 'aws', 'ecs']],
  ['-t for a cluster without anything', { cluster: 'open', target: 'aws' }, ['open', 'aws', undefined]],
  ['-t against the cluster', { cluster: 'north', target: 'gcp' }, [['MU123', 'gcp', 'north', 'aws:ecs']]],
  [
    '-t with unknown words',
    { target: 'awz:esc' },
    [
      ['MU120', 'awz'],
      ['MU121', 'esc'],
    ],
  ],
  [
    'unknown words in the chosen cluster',
    { cluster: 'odd' },
    [
      ['MU120', 'awz'],
      ['MU121', 'esc'],
    ],
  ],
  [
    '-t with another scheduler than the cluster',
    { cluster: 'north', target: 'aws:swarm' },
    [['MU123', 'aws:swarm', 'north', 'aws:ecs']],
  ],
  ['a scheduler without cloud', { cluster: 'half' }, [['MU125']]],
  ['-t leaves out what the cluster says', { cluster: 'north', target: 'aws' }, ['north', 'aws', 'ecs']],
  ['an impossible pair', { cluster: 'pair' }, [['MU122', 'gcp', 'ecs']]],
  ['machines with a scheduler', { cluster: 'box' }, [['MU122', 'machines', 'swarm']]],
  ['no cloud', { cluster: 'open' }, [['MU125']]],
  ['no cloud, no code', { cluster: 'open', skipsCode: true }, ['open', undefined, undefined]],
  ['no back end', { cluster: 'vm' }, [['MU603', 'vmware']]],
  ['no back end for that scheduler', { cluster: 'plain', target: 'aws:swarm' }, [['MU603', 'aws:swarm']]],
  ['no back end, no code', { cluster: 'vm', skipsCode: true }, ['vm', 'vmware', undefined]],
])('chooseTarget(): %s', (_, choice, expected) => {
  expect(choose(CLUSTERS, choice)).toEqual(expected)
})

test.each([
  [{ cluster: 'nort' }, CLUSTERS, "did you mean 'north'?"],
  [{ cluster: 'elsewhere' }, 'clusters: { north: {}, south: {} }', "the clusters are 'north', 'south'"],
  [{ cluster: 'elsewhere' }, '', 'there are no clusters'],
  [{}, '', 'name a cloud with -t, or machines with -i'],
  [{ target: 'awz' }, '', "did you mean 'aws'?"],
  [{ target: 'aws:messo' }, '', "did you mean 'mesos'?"],
  [{ target: 'aws:x' }, '', "the schedulers are 'swarm', 'kubernetes', 'mesos', 'ecs', 'gke', 'acs'"],
  [{ target: 'mars' }, '', "the clouds are 'aws', 'gcp', 'azure', 'vmware', 'machines'"],
])('chooseTarget() with %j tells what there is', (choice, text, hint) => {
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text })
  const defaults = { cluster: undefined, target: undefined, hasInfrastructure: false, skipsCode: false }
  expect(chooseTarget(workspace, { ...defaults, ...choice }).findings).toMatchObject([{ hint }])
})

test.each([
  ['clusters: [', []],
  ['clusters: [test]', []],
  ['clusters: { test: { default: "true" } }', []],
  ['dependencies: { b: "1.0" }', ['MU124', 'MU125']],
])('what %j may state is not reported as missing', (text, expected) => {
  const codes = [{ cluster: 'live' }, {}].flatMap((choice) => choose(text, choice))
  expect(codes.filter(Array.isArray).map(([code]: readonly unknown[]) => code)).toEqual(expected)
})

test.each<[string, Partial<TargetChoice>, readonly unknown[]]>([
  [
    'c: { cloud: aws, infrastructure: i.yaml, placement: { a: [b] } }',
    {},
    [
      ["'infrastructure' of cluster 'c' is not used: its cloud is 'aws'", 36],
      ["'placement' of cluster 'c' is not used: its cloud is 'aws'", 55],
    ],
  ],
  ['c: { cloud: aws, placement: {} }', {}, []],
  ['c: { cloud: machines, infrastructure: i.yaml, placement: { a: [b] } }', {}, []],
  ['c: { infrastructure: i.yaml, placement: { a: [b] } }', {}, []],
  ['c: { scheduler: ecs, placement: { a: [b] } }', { target: 'aws' }, []],
  [
    'c: { description: d }',
    { target: 'aws', hasInfrastructure: true },
    [["the infrastructure model of the command line is not used: the cloud is 'aws'", undefined]],
  ],
  ['c: { description: d }', { target: 'machines', hasInfrastructure: true }, []],
])('what only machines have is told in a cluster of another cloud: %s', (cluster, choice, expected) => {
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text: `clusters:\n  ${cluster}` })
  const defaults = { cluster: 'c', target: undefined, hasInfrastructure: false, skipsCode: false }
  const { findings } = chooseTarget(workspace, { ...defaults, ...choice })
  expect(findings.map(({ message, place }) => [message, place?.column])).toEqual(expected)
  for (const { severity, code } of findings) expect([severity, code]).toEqual(['warning', 'MU104'])
})

test('-c chooses one of several clusters that are the default', () => {
  const several = 'clusters: { a: { default: true }, b: { default: true, cloud: aws } }'
  expect(choose(several, { cluster: 'b' })).toEqual(['b', 'aws', undefined])
})

test('the default cluster is chosen, and several are refused', () => {
  expect(choose('clusters: { a: {}, b: { default: true, cloud: aws } }', {})).toEqual(['b', 'aws', undefined])
  expect(choose('clusters: { c: { default: true }, b: { default: true } }', {})).toEqual([['MU126', 'b', 'c']])
  expect(
    chooseTarget(NO_WORKSPACE, { cluster: undefined, target: undefined, hasInfrastructure: false, skipsCode: true })
      .cluster,
  ).toBeUndefined()
})
