import { manifestOf, type ShortManifest } from '@davit/comparison/testing'
import { expect, test } from 'vitest'

import { describeObstacle, parseTerms, partError, partOf, type Selection, selectIn } from '../src/selection.ts'

const TARGETS = { db: {}, app: {}, web1: {}, web2: {} }
/** A store, an api that uses it, and a page on two targets that uses the api. */
const CHAIN: ShortManifest = {
  targets: TARGETS,
  profiles: { db: 'p1', app: 'p1', web1: 'p1', web2: 'p1' },
  services: {
    store: { key: 'store1', on: ['db/process'] },
    api: { key: 'api1', on: ['app/process'], dependsOn: ['store1@db/process'] },
    page: { key: 'page1', on: ['web1/process', 'web2/process'], dependsOn: ['api1@app/process'] },
    extra: { key: 'extra1', on: ['web1/process'] },
  },
}

/** The chain with another version of the api, and so of the page. */
const UPGRADED: ShortManifest = {
  ...CHAIN,
  profiles: { db: 'p1', app: 'p2', web1: 'p2', web2: 'p2' },
  services: {
    store: { key: 'store1', on: ['db/process'] },
    api: { key: 'api2', pkg: '2-api', on: ['app/process'], dependsOn: ['store1@db/process'] },
    page: { key: 'page2', on: ['web1/process', 'web2/process'], dependsOn: ['api2@app/process'] },
    extra: { key: 'extra1', on: ['web1/process'] },
  },
}

function withService(
  short: ShortManifest,
  service: NonNullable<ShortManifest['services']>,
  more: Partial<ShortManifest> = {},
): ShortManifest {
  return { ...short, ...more, services: { ...short.services, ...service } }
}

const CONNECTED = (key: string): ShortManifest => ({
  targets: TARGETS,
  services: {
    api: { key, on: ['app/process'] },
    page: { key: 'page1', on: ['web1/process', 'web2/process'], connectsTo: [`${key}@app/process`] },
  },
})

const STATEFUL = (target: string): ShortManifest => ({
  targets: TARGETS,
  services: { store: { key: 'store1', on: [`${target}/process`] }, other: { key: 'other1', on: ['web1/process'] } },
  state: [`store1@${target}/process`],
})

const HOSTED = (key: string, hosted: string): ShortManifest => ({
  targets: TARGETS,
  services: {
    tomcat: { key, type: 'process', on: ['app/process'], provides: { servlet: {} } },
    shop: { key: hosted, on: ['app/servlet'], in: key },
  },
})

const PORT = (port: number, hostname = 'h'): ShortManifest => ({
  targets: { app: { properties: { hostname }, containers: { process: { port } } } },
  services: { api: { key: `api${port}`, on: ['app/process'] }, other: { key: 'other1', on: ['app/else'] } },
})

test.each<[string, ShortManifest, ShortManifest, string, readonly string[], string]>([
  [
    'a service whose dependency changes too',
    CHAIN,
    UPGRADED,
    'service:page',
    [
      "'page' on 'web1' needs the new 'api' on 'app', which is left out",
      "'page' on 'web2' needs the new 'api' on 'app', which is left out",
    ],
    'service:api',
  ],
  [
    'a service on which others depend',
    CHAIN,
    UPGRADED,
    'app',
    [
      "'page' on 'web1', which is left out, needs 'api' on 'app', which would be replaced or stopped",
      "'page' on 'web2', which is left out, needs 'api' on 'app', which would be replaced or stopped",
    ],
    'service:page',
  ],
  [
    'one of the targets of a dependant',
    CHAIN,
    UPGRADED,
    'app,web1',
    ["'page' on 'web2', which is left out, needs 'api' on 'app', which would be replaced or stopped"],
    'service:page',
  ],
  [
    'a service that is removed, and that others still use',
    CHAIN,
    { ...CHAIN, services: { extra: { key: 'extra1', on: ['web1/process'] } } },
    'db',
    ["'api' on 'app', which is left out, needs 'store' on 'db', which would be replaced or stopped"],
    'service:api,service:page',
  ],
  [
    'a service to which others are connected',
    CONNECTED('api1'),
    CONNECTED('api2'),
    'service:api',
    [
      "'page' on 'web1', which is left out, needs 'api' on 'app', which would be replaced or stopped",
      "'page' on 'web2', which is left out, needs 'api' on 'app', which would be replaced or stopped",
    ],
    'service:page',
  ],
  [
    'a service that has other connections in the same version',
    CONNECTED('api1'),
    CONNECTED('api2'),
    'app,web1',
    [
      "'page' on 'web2', which is left out, needs 'api' on 'app', which would be replaced or stopped",
      "'page' on 'web1' gets other connections or containers in the same version as 'page' on 'web2', which is left out",
    ],
    'service:page',
  ],
  [
    'where state goes',
    STATEFUL('db'),
    STATEFUL('app'),
    'app',
    ["the state of 'store' on 'db' moves to 'app', and 'store' on 'db' is left out"],
    'service:store',
  ],
  [
    'where state comes from',
    STATEFUL('db'),
    STATEFUL('app'),
    'db',
    [
      "the state of 'store' on 'db' moves to 'app', and 'store' on 'app' is left out",
      "'store' on 'db' would be stopped and run nowhere: 'app', where it goes, is left out",
    ],
    'service:store',
  ],
  [
    'a provider of containers',
    HOSTED('tomcat1', 'shop1'),
    HOSTED('tomcat2', 'shop2'),
    'service:tomcat',
    ["'shop' on 'app', which is left out, needs 'tomcat' on 'app', which would be replaced or stopped"],
    'service:shop',
  ],
  [
    'a service whose container changes',
    PORT(1),
    PORT(2),
    'service:api',
    ["the container of 'api' on 'app' changes with its target, and 'app' itself is left out"],
    'app',
  ],
  [
    'a service on a target with another address',
    PORT(1),
    PORT(2, 'g'),
    'service:api',
    ["'api' on 'app' is on a target whose address changes, and 'app' itself is left out"],
    'app',
  ],
])('partOf(): refuses %s', (_, before, after, selected, expected, missing) => {
  const manifests = [manifestOf(after), manifestOf(before)] as const
  const [next, current] = manifests
  const selection = selectIn(manifests, parseTerms([selected]))
  const outcome = partOf({ next, current, selection })
  if (outcome.kind !== 'refused') throw new Error('it is not refused')
  expect(outcome.obstacles.map(describeObstacle)).toEqual(expected)
  const error = partError({ ...outcome, selection, manifests })
  const hint = `nothing was done; select ${missing.includes(',') ? 'them' : 'it'} as well: --on '${missing}'`
  expect(error).toMatchObject({ code: 'part-refused', hint })
  const wider = selectIn(manifests, parseTerms([`${selected},${missing}`]))
  expect(partOf({ next, current, selection: wider }).kind).toBe('part')
})

test('partOf(): refuses another store', () => {
  const manifests = [manifestOf({ ...CHAIN, store: '/other' }), manifestOf(CHAIN)] as const
  const selection = selectIn(manifests, parseTerms(['web1']))
  const outcome = partOf({ next: manifests[0], current: manifests[1], selection })
  expect(outcome).toMatchObject({ kind: 'refused', obstacles: [{ kind: 'store' }], sufficient: undefined })
  if (outcome.kind !== 'refused') return
  const { message, hint, diagnostics } = partError({ ...outcome, selection, manifests })
  expect([message, hint, diagnostics[0]?.message]).toEqual([
    'what is selected cannot be deployed without the rest',
    'nothing was done; deploy everything, without --on',
    'the store changes, which all targets have in common',
  ])
})

test('partOf(): everything together may have another store, and is what it should become', () => {
  const [next, current] = [manifestOf({ ...CHAIN, store: '/other' }), manifestOf(CHAIN)]
  const outcome = partOf({ next, current, selection: selectIn([next, current], parseTerms(['*'])) })
  expect(outcome).toEqual({ kind: 'part', manifest: next, mixed: [] })
})

/** The mappings and profiles of a part, in short. */
function partText(before: ShortManifest | undefined, after: ShortManifest, selected: string) {
  const next = manifestOf(after)
  const current = manifestOf(before ?? {})
  const selection: Selection = selectIn([next, current], parseTerms([selected]))
  const outcome = partOf({ next, current, selection })
  if (outcome.kind !== 'part') throw new Error('it is refused')
  const { serviceMappings, profiles, infrastructure } = outcome.manifest
  return {
    mappings: serviceMappings.map(({ service, target }) => `${service}@${target}`).join(' '),
    profiles: [...profiles].map(([name, path]) => `${name} ${path.slice(7, 9)}`).join(', '),
    targets: [...infrastructure.keys()].join(' '),
    mixed: outcome.mixed.join(' '),
  }
}

test('partOf(): takes whole targets as next has them', () => {
  expect(partText(CHAIN, UPGRADED, 'app,web*')).toEqual({
    mappings: 'api2@app extra1@web1 page2@web1 page2@web2 store1@db',
    profiles: 'app p2, db p1, web1 p2, web2 p2',
    targets: 'app db web1 web2',
    mixed: '',
  })
})

test('partOf(): makes a profile for a target with selected services and others', () => {
  const after = withService(UPGRADED, { extra: { key: 'extra2', pkg: '2-extra', on: ['web1/process'] } })
  expect(partText(CHAIN, after, 'service:...api')).toEqual({
    mappings: 'api2@app extra1@web1 page2@web1 page2@web2 store1@db',
    profiles: 'app p1, db p1, web1 p1, web2 p1',
    targets: 'app db web1 web2',
    mixed: 'app web1 web2',
  })
})

test('partOf(): without a generation, only what is selected is there', () => {
  expect(partText(undefined, CHAIN, 'db')).toEqual({
    mappings: 'store1@db',
    profiles: 'db p1',
    targets: 'db',
    mixed: '',
  })
})

test('partOf(): a new service is started on a new target that is not selected itself', () => {
  const after = withService(CHAIN, { more: { on: ['new/process'] } }, { targets: { ...TARGETS, new: {} } })
  expect(partText(CHAIN, after, 'service:more')).toMatchObject({ targets: 'app db new web1 web2', mixed: 'new' })
})

test('partOf(): a service is stopped where it is selected', () => {
  const after = { ...CHAIN, services: { ...CHAIN.services, extra: { key: 'extra1', on: [] } } }
  expect(partText(CHAIN, after, 'service:extra')).toMatchObject({
    mappings: 'api1@app page1@web1 page1@web2 store1@db',
    mixed: 'web1',
  })
})

test('partOf(): a service without state can be started in its new place before it leaves the old one', () => {
  const moved = withService(CHAIN, { extra: { key: 'extra1', on: ['web2/process'] } })
  expect(partText(CHAIN, moved, 'web2').mappings).toBe(
    'api1@app extra1@web1 extra1@web2 page1@web1 page1@web2 store1@db',
  )
})

test('partOf(): a target that was removed is gone only if it is selected', () => {
  const { web2: _, ...targets } = TARGETS
  const after = withService(
    CHAIN,
    { page: { key: 'page1', on: ['web1/process'], dependsOn: ['api1@app/process'] } },
    { targets },
  )
  expect(partText(CHAIN, after, 'web1').targets).toBe('db app web1 web2')
  expect(partText(CHAIN, after, 'web2').targets).toBe('app db web1')
})
