import type { ConnectionPool, ConnectionRequest } from '@davit/connection'
import { addGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, type ProfileName, type SecretReference, validateDocument } from '@davit/documents'
import { openSecrets, type Secrets } from '@davit/secrets'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, describe, expect, test } from 'vitest'

import { callable, refuseStrangePrograms, trustedReferences, trustToLook, trustUnless } from '../src/trust.ts'
import { withTargets } from '../src/with-targets.ts'

let state = ''
beforeEach(() => void (state = scratchDirectory()))

interface Given {
  readonly clientInterface?: string
  readonly hostname?: string
  readonly secret?: object
}

const KEY = '0'.repeat(64)
const PROFILE = `/store/${'0'.repeat(32)}-profile`

/** A manifest with a service on one target, whose container has a secret. */
function manifestWith({ clientInterface = 'ssh', hostname = 'one', secret = { env: 'KEY' } }: Given = {}): Manifest {
  const target = {
    properties: { hostname },
    containers: { box: { key: { secret } } },
    system: 'x',
    targetProperty: 'hostname',
  }
  const service = { name: 'web', pkg: `/store/${'0'.repeat(32)}-web`, type: 'box' }
  return validateDocument(
    Manifest,
    {
      document: 'manifest',
      version: 2,
      profiles: { h: PROFILE },
      services: { [KEY]: service },
      infrastructure: { h: { ...target, clientInterface } },
      serviceMappings: [{ service: KEY, target: 'h', container: 'box' }],
      snapshotMappings: [],
    },
    { file: 'm' },
  )
}

async function deploy(manifest: Manifest): Promise<void> {
  const text = encodeDocument(Manifest, manifest, 'json')
  const origin = { time: new Date(0), user: 'root', host: 'desk' }
  await addGeneration(deploymentPlace(state, 'default' as ProfileName), { manifest, text, origin })
}

function looking(args: { readonly trustPrograms?: boolean; readonly interface?: string } = {}) {
  const given = { profile: 'default', trustPrograms: false, dryRun: true, ...args }
  return { environment: { DAVIT_STATE_DIR: state }, privileged: false, args: given }
}

describe('client executables', () => {
  const evil = manifestWith({ clientInterface: '/x/evil' })

  async function connected(manifest: Manifest, trust: Parameters<typeof refuseStrangePrograms>[1]) {
    const asked: ConnectionRequest[] = []
    const pool: ConnectionPool = {
      connect: async (request) => {
        asked.push(request)
        throw new Error('connected')
      },
      close: async () => {},
    }
    const context = { environment: {}, report: () => {}, signal: new AbortController().signal, openPool: () => pool }
    const use = () => Promise.resolve()
    const ended = await withTargets(
      manifest.infrastructure,
      { ...context, role: 'query', manifests: [], trust },
      use,
    ).catch((error: unknown) => error)
    return { ended, asked }
  }

  test('are refused by a tool that looks, before anything is started, and named with their targets', async () => {
    const { ended, asked } = await connected(evil, await trustToLook(looking()))
    expect(asked).toEqual([])
    expect(ended).toMatchObject({
      code: 'strange-program',
      exitStatus: 77,
      message: "target 'h' is reached by the program '/x/evil', which the current generation does not use",
      hint: 'pass --trust-programs if you trust it',
    })
  })

  test('are started if the current generation uses them, the command line names them, or all are trusted', async () => {
    const strange = await trustToLook(looking({ interface: '/x/other' }))
    expect(() => refuseStrangePrograms(evil.infrastructure, strange)).toThrow('/x/evil')
    for (const args of [{ interface: '/x/evil' }, { trustPrograms: true }]) {
      // oxlint-disable-next-line no-await-in-loop
      const { asked } = await connected(evil, await trustToLook(looking(args)))
      expect(asked).toMatchObject([[{ kind: 'client', executable: '/x/evil' }]])
    }
    await deploy(evil)
    expect((await connected(evil, await trustToLook(looking()))).asked).toHaveLength(1)
    const other = manifestWith({ clientInterface: '/x/evil2' })
    expect((await connected(other, await trustToLook(looking()))).asked).toEqual([])
  })

  test('are refused together', async () => {
    const trust = await trustToLook(looking())
    const [one] = evil.infrastructure.values()
    const infrastructure = new Map([
      ['a', one!],
      ['b', one!],
    ]) as never
    const refused = await connected({ ...evil, infrastructure }, trust)
    expect(refused).toMatchObject({
      asked: [],
      ended: {
        message: '2 targets are reached by programs which the current generation does not use',
        diagnostics: [
          { message: expect.stringContaining("target 'a'") as string },
          { message: expect.stringContaining("target 'b'") as string },
        ],
      },
    })
  })

  test.each(['ssh', 'local', 'disnix-ssh-client', 'davit-client', 'davit-run-activity'])(
    '%s is not a program of the document',
    async (clientInterface) => {
      const { infrastructure } = manifestWith({ clientInterface })
      const trust = await trustToLook(looking())
      expect(() => refuseStrangePrograms(infrastructure, trust)).not.toThrow()
    },
  )

  test('are not started either for a machine that is opened later', async () => {
    const trust = await trustToLook(looking())
    const started: unknown[] = []
    const pool = {
      connect: async (request: unknown) => Promise.reject(new Error(String(started.push(request)))),
      close: async () => {},
    }
    const context = { environment: {}, report: () => {}, signal: new AbortController().signal, openPool: () => pool }
    const evilHop = { kind: 'client', executable: '/x/evil', address: 'one' } as const
    for (const request of [[evilHop], [{ kind: 'ssh', address: 'one' }, evilHop]] as const) {
      const later = withTargets(new Map(), { ...context, role: 'logs', manifests: [], trust }, (_, __, open) =>
        open(request, 'logs'),
      )
      // oxlint-disable-next-line no-await-in-loop
      await expect(later).rejects.toMatchObject({ code: 'strange-program' })
    }
    expect(started).toEqual([])
  })

  test('are what whoever acts means', async () => {
    const context = looking()
    expect(await trustUnless({ ...context, args: { ...context.args, dryRun: false } })).toBe('everything')
    expect(await trustUnless(context)).not.toBe('everything')
  })
})

describe('secrets', () => {
  const ECHO: SecretReference = { command: 'echo ran' }
  const command = { command: ['/x/evil'] }
  const at = (hostname: string) => [{ kind: 'ssh', address: hostname }] as const

  test.each([
    ['a command of the generation', { secret: command }, { secret: command }, 1],
    ['another command', { secret: { command: ['/x/evil', 'more'] } }, { secret: command }, 0],
    ['a file, for a machine of the generation', { secret: { file: '/key' } }, { secret: command }, 1],
    ['a file, for another machine', { secret: { file: '/key' }, hostname: 'two' }, { secret: { file: '/key' } }, 0],
    ['a command, for another machine', { secret: command, hostname: 'two' }, { secret: command }, 0],
    ['a file, without a generation', { secret: { file: '/key' } }, undefined, 0],
  ] as const)('%s', async (_, given, generation, count) => {
    if (generation !== undefined) await deploy(manifestWith(generation))
    const manifests = [manifestWith(given)]
    const { hostname = 'one' } = given as Given
    expect(trustedReferences(manifests, await trustToLook(looking()), at(hostname))).toHaveLength(count)
    expect(
      trustedReferences(manifests, await trustToLook(looking({ trustPrograms: true })), at(hostname)),
    ).toHaveLength(1)
  })

  test('a command that is not trusted is not started, and the reason names the option', async () => {
    const reading = { environment: { PATH: process.env['PATH'] ?? '' }, workingDirectory: state }
    const secrets = openSecrets(reading)
    const manifest = manifestWith({ clientInterface: 'local', secret: { command: 'echo ran' } })
    const resolved = async (trustPrograms: boolean, reference: SecretReference = ECHO): Promise<string> => {
      const trust = await trustToLook(looking({ trustPrograms }))
      let own: Secrets | undefined
      const pool: ConnectionPool = { connect: async () => Promise.reject(new Error('no')), close: async () => {} }
      const limited = {
        ...secrets,
        limitedTo: (...given: Parameters<Secrets['limitedTo']>) => (own = secrets.limitedTo(...given)),
      }
      const context = {
        environment: {},
        report: () => {},
        signal: new AbortController().signal,
        openPool: () => pool,
        secrets: limited,
      }
      await withTargets(new Map(), { ...context, role: 'query', manifests: [manifest], trust }, async (_, __, open) =>
        open([{ kind: 'local' }], 'query').catch(() => {}),
      )
      return own!.resolve(reference)
    }
    await expect(resolved(false)).rejects.toThrow('pass --trust-programs')
    expect(await resolved(true)).toBe('ran')
    for (const trusting of [false, true])
      // oxlint-disable-next-line no-await-in-loop
      await expect(resolved(trusting, { env: 'OTHER' })).rejects.toThrow('neither the models nor the last deployment')
  })
})

test('modules are called for services without a record only if the current generation has them', async () => {
  const reference = `${PROFILE}/modules/box` as never
  expect(callable(await trustToLook(looking()))(reference)).toBe(false)
  expect(callable('everything')(reference)).toBe(true)
  await deploy(manifestWith())
  const mayCall = callable(await trustToLook(looking()))
  expect([mayCall(reference), mayCall('/other/modules/box' as never), mayCall(undefined)]).toEqual([true, false, false])
})
