import type { TargetName } from '@davit/documents'
import { describe, expect, test } from 'vitest'

import { refuseOtherStore } from '../src/adoption.ts'
import { placedBy } from '../src/placed.ts'
import { refuseLocked } from '../src/read-adoption.ts'
import { refuseLackingModules } from '../src/refuse-lacking-modules.ts'
import { manifest, original, reports, tableTarget } from './scene.ts'

const name = (target: string) => target as TargetName

describe('refuseLackingModules()', () => {
  const ALL = manifest('web process t1', 'shop tomcat t1', 'cart tomcat t2', 'odd strange t2')
  const module = { script: Buffer.from(''), activities: [] }

  /** What machines have: types of Dysnomia by target. */
  async function refused(has: Readonly<Record<string, readonly string[]>>, originals = ['t1', 't2']) {
    const targets = Object.entries(has).map(([target, types]) =>
      tableTarget(target, {
        resolve: (fields) =>
          fields.map((field) =>
            types.some((type) => field.includes(type)) ? 'module /dysnomia/x' : 'module - /dysnomia',
          ),
      }),
    )
    const { said, report } = reports()
    const reached = { targets: new Map(targets.map(({ target }) => [target.name, target])), unreachable: new Map() }
    const terms = {
      originals: new Map(originals.map((one) => [name(one), {}])),
      modules: new Map([['process', module]]),
      report,
    }
    const error: unknown = await refuseLackingModules(ALL, reached, terms).catch((reason: unknown) => reason)
    return { error, said, asked: targets.map(({ asked }) => asked.length) }
  }

  test('says which modules are those of Dysnomia', async () => {
    const { error, said } = await refused({ t1: ['tomcat'], t2: ['tomcat', 'strange'] })
    expect([error, said]).toEqual([
      undefined,
      ["note: [] 'strange', 'tomcat': davit calls the module of Dysnomia that is there"],
    ])
  })

  test('refuses types without a module, all at once, with their services and targets', async () => {
    const { error, said } = await refused({ t1: [], t2: ['tomcat'] })
    expect(said).toEqual([])
    expect(error).toMatchObject({
      code: 'no-module',
      exitStatus: 1,
      hint: 'nothing was done; add modules with --modules DIRECTORY',
      diagnostics: [
        { message: "there is no module for type 'tomcat', used by 'shop', and Dysnomia has none on 't1'" },
        { message: "there is no module for type 'strange', used by 'odd', and Dysnomia has none on 't2'" },
      ],
    })
  })

  test('asks nothing about targets that are not to be adopted', async () => {
    const { error, said, asked } = await refused({ t1: [], t2: [] }, [])
    expect([error, said, asked]).toEqual([undefined, [], [0, 0]])
  })
})

test('refuseLocked() names all locks of Disnix, also one without a file name', () => {
  const locked = { ...original({ lock: '/tmp/a.lock' }) }
  const originals = new Map([
    [name('t1'), original()],
    [name('t2'), locked],
    [name('t3'), { ...locked, lock: undefined }],
  ])
  expect(() => refuseLocked(originals)).toThrow(
    expect.objectContaining({
      code: 'original-locked',
      diagnostics: [
        { severity: 'error', message: "target 't2': the lock '/tmp/a.lock' is there" },
        { severity: 'error', message: "target 't3': the lock 'disnix-default.lock' is there" },
      ],
    }),
  )
  expect(() => refuseLocked(new Map([[name('t1'), original()]]))).not.toThrow()
})

test('refuseOtherStore() refuses packages that are not in the store of Nix', () => {
  expect(() => refuseOtherStore({ kind: 'native', directory: '/store' } as never)).toThrow(
    expect.objectContaining({ code: 'original-needs-nix', exitStatus: 65 }),
  )
  expect(() => refuseOtherStore({ kind: 'nix', directory: '/nix/store' } as never)).not.toThrow()
})

test('placedBy() has each package of a target once, and the component of every mapping', () => {
  const base = manifest('web process t1', 'api process t1', 'db mysql t2')
  const [first] = base.serviceMappings
  const all = {
    ...base,
    serviceMappings: [...base.serviceMappings, { ...first!, container: 'second' as never }],
    snapshotMappings: [{ ...base.serviceMappings[2]!, component: 'stock' }],
  }
  const placed = placedBy(all)
  const hash = '0'.repeat(32)
  expect(placed(name('t1'))).toMatchObject({
    packages: [`/nix/store/${hash}-web`, `/nix/store/${hash}-api`],
    components: [
      { container: 'process', component: 'web' },
      { container: 'process', component: 'api' },
      { container: 'second', component: 'web' },
    ],
  })
  expect(placed(name('t2')).components).toEqual([{ container: 'mysql', component: 'stock' }])
  expect(placed(name('t3'))).toEqual({ mappings: [], packages: [], components: [] })
})
