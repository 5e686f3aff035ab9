import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import type { ReportEvent } from '@davit/diagnostics'
import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { Machines } from '@davit/deployment/testing'
import { parseArguments } from '@davit/tool/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { tool } from '../src/main.ts'

let machines: Machines
let journals: string[]
beforeEach(() => {
  machines = new Machines()
  journals = []
})
afterEach(() => machines.close())

interface Given {
  readonly profile?: string
  readonly dryRun?: boolean
  readonly check?: boolean
  readonly takeOver?: boolean
  readonly undeploy?: boolean
  readonly upgrade?: boolean
  readonly repair?: boolean
  readonly text?: string
}

/** Runs davit-activate on a coordinator whose state is where the machine has its state as a target; returns what it prints. */
async function activate(manifest: Manifest, { text = 'the manifest', ...given }: Given = {}): Promise<string> {
  let printed = ''
  const flags = {
    upgrade: true,
    repair: false,
    dryRun: false,
    check: false,
    takeOver: false,
    undeploy: false,
    targetProfiles: true,
    coordinatorProfile: true,
    abandon: [],
    on: [],
  }
  const args = { profile: 'default', lock: true, lockLease: 60, rollback: true, ...flags, ...given }
  await tool.run({
    args: args as never,
    print: async (text: string | Uint8Array) => void (printed += text.toString()),
    report: (event: ReportEvent) => void machines.events.push(event),
    signal: new AbortController().signal,
    environment: { PATH: '/usr/bin:/bin', HOME: machines.directory, DAVIT_STATE_DIR: state() },
    workingDirectory: machines.directory,
    privileged: false,
    executable: 'davit-activate',
    readInput: async () => ({ text: '', file: '<stdin>' }),
    readDocument: async () => ({ text, file: '<stdin>', value: manifest as never }),
    journal: ({ profile }) => void journals.push(profile),
    runInForeground: async () => 0,
    runSteps: async () => 0,
  })
  return printed
}

/** The error of a run that is refused. */
const refusal = (manifest: Manifest, given: Given): Promise<unknown> =>
  activate(manifest, given).catch((error: unknown) => error)

const state = () => join(machines.directory, 'm1')
const coordinatorFiles = () =>
  existsSync(join(state(), 'coordinator')) ? readdirSync(join(state(), 'coordinator'), { recursive: true }) : []
const warnings = () => machines.events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []))
/** A generation of this coordinator. */
const known = (manifest: Manifest, profile = 'default') =>
  addGeneration(deploymentPlace(state(), profile as ProfileName), {
    manifest,
    text: textOf(manifest),
    origin: { time: new Date(), user: 'me', host: 'here' },
  })

function textOf(manifest: Manifest): string {
  const stored = machines.stored('profile')
  const profiles = new Map([...manifest.profiles].map(([target]) => [target, stored]))
  const infrastructure = new Map(
    [...manifest.infrastructure].map(([name, target]) => [
      name,
      { ...target, properties: new Map([['hostname', name]]) },
    ]),
  )
  return encodeDocument(Manifest, { ...manifest, profiles, infrastructure }, 'json')
}

/** A system that another coordinator has deployed to the machine. */
const THEIRS = { one: { api: {}, page: { dependsOn: ['api'] } } }
const OURS = { one: { shop: {} } }

/** Deployed by another coordinator, and by nobody else so far. */
async function theirs(): Promise<void> {
  await machines.deploy(machines.manifest(THEIRS), [await machines.target('m1', 'one')])
  machines.calls()
}

/** Ways to deploy what shares nothing with what is there. */
const WAYS: readonly (readonly [string, Given])[] = [
  ['a deployment', {}],
  ['a dry run', { dryRun: true }],
  ['a check', { check: true }],
  ['a deployment that stops nothing', { upgrade: false }],
  ['a repair', { repair: true }],
]

const untouched = () => expect([machines.calls(), machines.up()]).toEqual([[], ['api', 'page']])

describe('what somebody else has deployed under the name', () => {
  const refused = {
    code: 'not-ours',
    exitStatus: 1,
    message: "what runs as 'default' was not deployed from this coordinator, and none of it is in the manifest",
    diagnostics: [{ message: "'one' has 2 services of 'default': 'api', 'page'" }],
    hint: 'nothing was done; deploy alongside it under another name with -p NAME, or stop and replace it with --take-over',
  }

  test('is not replaced by a deployment, dry run, check or repair that shares nothing with it', async () => {
    await theirs()
    for (const [what, given] of WAYS) {
      expect([what, await refusal(machines.manifest(OURS), given)]).toMatchObject([what, refused])
      untouched()
    }
  })

  test('is replaced where that is asked for, and the run says so', async () => {
    await theirs()
    const taken = "taking over 'default', which was not deployed from this coordinator, with its services: 2 on 'one'"
    const plan = await activate(machines.manifest(OURS), { takeOver: true, dryRun: true })
    expect(plan.split('\n')[0]).toBe(`warning: ${taken}`)
    expect(await activate(machines.manifest(OURS), { takeOver: true })).toBe('the manifest')
    expect([warnings(), machines.up(), journals]).toEqual([[taken], ['shop'], ['default']])
  })

  test.each<readonly [string, () => Manifest]>([
    ['the same services', () => machines.manifest(THEIRS)],
    ['one of them, and all others new', () => machines.manifest({ one: { api: {}, shop: {} } })],
    ['one of them, on another target', () => machines.manifest({ one: {}, two: { page: {} } })],
    ['one of them in another version', () => renamedKeys(machines.manifest({ one: { page: {}, shop: {} } }))],
  ])('goes on as a deployment of %s', async (_, manifestOf) => {
    await theirs()
    await activate(manifestOf())
    expect(warnings()).toEqual([])
  })

  test('is ours where there is a generation of it', async () => {
    await theirs()
    await known(machines.manifest(THEIRS))
    await activate(machines.manifest({ one: { page: {}, shop: {} } }))
    expect([warnings(), machines.up()]).toEqual([[], ['page', 'shop']])
  })

  test('is ours as well where this coordinator has begun it, unless all was undone', async () => {
    writeFileSync(join(machines.directory, 'fail-page'), '')
    await expect(activate(machines.manifest(THEIRS))).rejects.toMatchObject({ code: 'rolled-back' })
    rmSync(join(machines.directory, 'fail-page'))
    await theirs()
    await expect(activate(machines.manifest(OURS))).rejects.toMatchObject(refused)
    const text = textOf(machines.manifest(THEIRS))
    await activate(machines.manifest(THEIRS), { text })
    await activate(machines.manifest({ one: { page: {}, shop: {} } }))
    expect([warnings(), machines.up()]).toEqual([[], ['page', 'shop']])
  })

  test('is nothing where nothing is there, or under another name', async () => {
    expect(await activate(machines.manifest(OURS), { check: true })).toBe('changed\n')
    await theirs()
    expect(await activate(machines.manifest(OURS), { profile: 'shop' })).toBe('the manifest')
    expect(machines.up()).toEqual(['api', 'page', 'shop'])
  })

  test('is not undeployed without --take-over either', async () => {
    await theirs()
    const nothing = machines.manifest({ one: {} })
    for (const given of [{}, { check: true }, { dryRun: true }]) {
      await expect(activate(nothing, { undeploy: true, ...given })).rejects.toMatchObject({
        code: 'not-ours',
        message: "what runs as 'default' was not deployed from this coordinator",
        hint: 'nothing was done; undeploy another deployment with -p NAME, or this one with --take-over',
      })
    }
    untouched()
    await activate(nothing, { undeploy: true, takeOver: true })
    expect(machines.up()).toEqual([])
  })
})

describe('what this coordinator has deployed under the name', () => {
  const refused = {
    code: 'not-ours',
    exitStatus: 1,
    message: "none of what was deployed as 'default' is in the manifest, which would stop all of it",
    diagnostics: [{ message: "'one' has 2 services of 'default': 'api', 'page'" }],
    hint: 'nothing was done; deploy alongside it under another name with -p NAME, or stop and replace it with --take-over',
  }
  const deployed = async () => {
    await theirs()
    await known(machines.manifest(THEIRS))
  }

  test('is not replaced by a deployment, dry run, check or repair that shares nothing with it', async () => {
    await deployed()
    for (const [what, given] of WAYS) {
      expect([what, await refusal(machines.manifest(OURS), given)]).toMatchObject([what, refused])
      untouched()
    }
  })

  test('is not replaced either where only the run that deployed it is on record, as after a crash', async () => {
    await activate(machines.manifest(THEIRS), { text: textOf(machines.manifest(THEIRS)) })
    machines.calls()
    await expect(activate(machines.manifest(OURS))).rejects.toMatchObject(refused)
    untouched()
  })

  test('is replaced where that is asked for, and the run says so; then it is repeated without', async () => {
    await deployed()
    const said = "replacing all of 'default', with which the manifest shares nothing: 2 on 'one'"
    const plan = await activate(machines.manifest(OURS), { takeOver: true, dryRun: true })
    expect(plan.split('\n')[0]).toBe(`warning: ${said}`)
    await activate(machines.manifest(OURS), { takeOver: true, text: textOf(machines.manifest(OURS)) })
    expect([warnings(), machines.up()]).toEqual([[said], ['shop']])
    await activate(machines.manifest(OURS))
  })

  test.each<readonly [string, () => Manifest]>([
    ['one of its services', () => machines.manifest({ one: { api: {}, shop: {} } })],
    ['one of them on another target', () => machines.manifest({ one: {}, two: { page: {} } })],
    [
      'one of them in another version on another target',
      () => renamedKeys(machines.manifest({ one: {}, two: { page: {} } })),
    ],
    ['one of them in another version', () => renamedKeys(machines.manifest({ one: { page: {}, shop: {} } }))],
  ])('goes on with %s', async (_, manifestOf) => {
    await deployed()
    await activate(manifestOf())
    expect(warnings()).toEqual([])
  })

  test.each([[{ undeploy: true }], [{}]])(
    'is undeployed where that is asked for, or nothing is wanted: %j',
    async (given) => {
      await deployed()
      await activate(machines.manifest({ one: {} }), given)
      expect(machines.up()).toEqual([])
    },
  )
})

describe('an undeployment', () => {
  const nothing = () => machines.manifest({ one: {} })

  test('of what nobody knows is refused with the names of what there is, as a dry run and a check too', async () => {
    await theirs()
    await known(machines.manifest(OURS), 'blog')
    const before = coordinatorFiles()
    for (const given of [{}, { dryRun: true }, { check: true }] satisfies Given[]) {
      expect(await refusal(nothing(), { profile: 'nosuch', undeploy: true, ...given })).toMatchObject({
        code: 'no-deployment',
        exitStatus: 1,
        message: expect.stringMatching(/^nothing to undeploy: nothing has been deployed as 'nosuch'/),
        hint: "nothing was done; the targets have 'default', this coordinator has deployed 'blog'; undeploy one of them with -p NAME",
      })
      expect([journals, coordinatorFiles()]).toEqual([[], before])
      untouched()
    }
  })

  test('of an unknown name is refused if there is nothing to undeploy', async () => {
    await expect(activate(nothing(), { undeploy: true })).rejects.toMatchObject({
      hint: 'nothing was done; there is no deployment of another name either',
    })
    expect(coordinatorFiles()).toEqual([])
  })

  test('is nothing new where the targets know of one', async () => {
    await machines.target('m1', 'one')
    mkdirSync(join(state(), 'targets/one/profiles/default'), { recursive: true })
    symlinkSync('1-link', join(state(), 'targets/one/profiles/default/current'))
    expect(await activate(nothing(), { undeploy: true })).toBe('the manifest')
    expect(machines.told()).toEqual(['note: nothing to do: all services match the manifest'])
  })

  test('that finds only other deployments names them, and does not say that all is well', async () => {
    await theirs()
    await known(nothing(), 'shop')
    machines.events.splice(0)
    await activate(nothing(), { profile: 'shop', undeploy: true })
    const note = "nothing runs under this name; the targets have services of 'default'"
    expect(machines.told()).toEqual([`note: ${note}`, 'note: nothing to do'])
    const plan = await activate(nothing(), { profile: 'shop', undeploy: true, dryRun: true })
    expect(plan).toBe(`${note}\n\nnothing to do\n`)
    untouched()
  })
})

function renamedKeys(manifest: Manifest): Manifest {
  const renamed = (key: string) => `${key}-2` as never
  return {
    ...manifest,
    services: new Map([...manifest.services].map(([key, service]) => [renamed(key), service])),
    serviceMappings: manifest.serviceMappings.map((mapping) => ({ ...mapping, service: renamed(mapping.service) })),
  }
}

test.each([['--no-lock'], ['--no-rollback'], ['--abandon', 'api']])(
  '--confirm and %s are refused together',
  (...words) => {
    expect(() => parseArguments(tool, { argv: ['--confirm', '60', ...words], environment: {} })).toThrow(
      `options '--confirm' and '${words[0]}' cannot be combined`,
    )
  },
)
