import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openLocal } from '@davit/connection'
import { encodeDocument, type Manifest, ProfileManifest, type ProfileName, type TargetName } from '@davit/documents'
import { observeMachine, openMachine, type ShellTarget } from '@davit/target'
import { writeClient } from '@davit/testing/client-executable'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { isDeployed, type LookTerms } from '../src/look.ts'
import { adoptInstalled } from '../src/take-over-installed.ts'
import { Machines } from './testing.ts'

const FAR = 'far' as TargetName

let machines: Machines
let targets: readonly ShellTarget[]

/** A target of davit, and one behind a client executable, whose services have the same module. */
beforeEach(async () => {
  machines = new Machines()
  targets = [await machines.target('m1', 'near'), await far('coordinator-1')]
})
afterEach(() => machines.close())

const there = (name: string) => join(machines.directory, 'there', name)

/** The target behind the client executable, with the records of one coordinator. */
async function far(coordinator: string): Promise<ShellTarget> {
  const executable = writeClient({ directory: there('') })
  writeFileSync(there('types/module'), `#!/bin/sh\nexec '${join(machines.directory, 'modules/module')}' "$@"\n`, {
    mode: 0o755,
  })
  install()
  const state = join(machines.directory, coordinator)
  const environment = { PATH: '/usr/bin:/bin', HOME: machines.directory, DAVIT_STATE_DIR: state }
  const connection = { ...openLocal({ environment }), client: { executable, address: 'far.example' } }
  return { name: FAR, machine: await openMachine(async () => connection) }
}

/** Makes a manifest what is installed there according to the client; nothing by default. */
function install(manifest?: Manifest): void {
  const own = ({ target }: { readonly target: string }) => target === FAR
  const installed = manifest && {
    services: manifest.services,
    serviceMappings: manifest.serviceMappings.filter(own),
    snapshotMappings: [],
  }
  const text =
    installed === undefined ? '' : encodeDocument(ProfileManifest.on(FAR), installed as ProfileManifest, 'xml')
  writeFileSync(there('installed'), text)
  writeFileSync(there('spoil'), `case $operation in query-installed) cat "$D/installed"; exit ;; esac\n`)
}

const both = (far: Parameters<Machines['manifest']>[0][string]) => machines.manifest({ near: { db: {} }, far })
const web = { web: { dependsOn: ['db'], properties: { port: 80 } } }

describe('a deployment with a target behind a client executable', () => {
  test('is activated, left alone, changed and removed in order', async () => {
    expect(await machines.deploy(both(web), targets)).toMatchObject({ kind: 'completed' })
    expect(machines.calls()).toEqual(['activate db', 'activate web80'])
    expect(await machines.plan(both(web), targets)).toEqual(['nothing to do'])
    expect(await machines.deploy(both({ ...web, mail: {} }), targets)).toMatchObject({ kind: 'completed' })
    expect(machines.calls()).toEqual(['activate mail'])
    await machines.deploy(both({}), targets)
    expect(machines.calls().toSorted()).toEqual(['deactivate mail', 'deactivate web80'])
    expect(machines.up()).toEqual(['db'])
  })

  test('has records of what is active once it was adopted', async () => {
    const next = both(web)
    install(next)
    const observed = async () => (await observeMachine(targets[1]!.machine, 'default' as ProfileName)).records
    expect(await observed()).toEqual([])
    const { profile, report, signal } = machines.terms()
    await adoptInstalled(next, targets, { profile, report, signal, token: '-' })
    expect((await observed()).map(({ service, state }) => [service.name, state])).toEqual([['web', 'active']])
    expect(machines.calls()).toEqual([])
    // From now on, the records count.
    install(undefined)
    await adoptInstalled(next, targets, { profile, report, signal, token: '-' })
    expect(await machines.plan(both({}), targets)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^deactivate web in web on far/)]),
    )
  })

  test('is rolled back if a service fails there', async () => {
    await machines.deploy(both(web), targets)
    machines.calls()
    writeFileSync(join(machines.directory, 'fail-mail'), '')
    const outcome = await machines.deploy(both({ mail: {} }), targets)
    expect(outcome).toMatchObject({ kind: 'rolled-back' })
    expect(machines.calls()).toEqual(['deactivate web80', 'activate mail', 'deactivate mail', 'activate web80'])
    expect(machines.up().toSorted()).toEqual(['db', 'web'])
  })

  test('is not changed on trial, as nothing would go back there', async () => {
    await machines.deploy(both(web), targets)
    const connections = { on: () => expect.unreachable(), anew: () => expect.unreachable() }
    const confirm = { seconds: 600, connections }
    await expect(machines.deploy(both({ mail: {} }), targets, { confirm })).rejects.toMatchObject({
      code: 'not-revertible',
      diagnostics: [{ message: "'far' is reached through a client executable" }],
    })
    expect(machines.up().toSorted()).toEqual(['db', 'web'])
  })

  test('is not restarted when the coordinator was', async () => {
    await machines.deploy(both(web), targets)
    const { stateDirectory } = targets[1]!.machine.facts
    const records = join(stateDirectory, 'targets/far/active/default')
    for (const name of readdirSync(records)) machines.edit(join(records, name, 'record'), /^boot .*/m, 'boot of-yore')
    expect(await machines.plan(both(web), targets)).toEqual(['nothing to do'])
  })
})

describe('services that were activated on such a target from elsewhere', () => {
  test('are taken over, and never started twice', async () => {
    const first = both({ ...web, mail: {} })
    await machines.deploy(first, targets)
    install(first)
    machines.calls()
    const others = [targets[0]!, await far('coordinator-2')]
    install(first)
    const next = both({ ...web, news: {} })
    expect(await machines.plan(next, others)).toEqual([
      expect.stringContaining('does not tell whether services run'),
      expect.stringContaining('web, mail were deployed from elsewhere'),
      expect.stringContaining('deactivate mail'),
      expect.stringContaining('activate news'),
    ])
    // The plan has changed nothing.
    expect(await machines.plan(next, others)).toHaveLength(4)
    await machines.deploy(next, others)
    expect(machines.calls()).toEqual(['deactivate mail', 'activate news'])
    // What the client reports is of no account any more: the records have everything.
    expect(await machines.plan(next, others)).toEqual(['nothing to do'])
  })

  test('are taken over although nothing else has to be done', async () => {
    const manifest = both(web)
    await machines.deploy(manifest, targets)
    machines.calls()
    const others = [targets[0]!, await far('coordinator-2')]
    install(manifest)
    const reached = { targets: new Map(others.map((one) => [one.name, one])), unreachable: new Map() }
    const store = { kind: 'nix' } as LookTerms['store']
    const terms = { ...machines.terms(), place: '', generation: undefined, sets: [], store } as LookTerms
    expect(await isDeployed(manifest, reached, terms)).toBe(false)
    await machines.deploy(manifest, others)
    install()
    expect(await machines.plan(manifest, others)).toEqual(['nothing to do'])
    expect(machines.calls()).toEqual([])
  })

  test('are not there if the client reports nothing', async () => {
    await machines.deploy(both(web), targets)
    install(both({ ...web, mail: {} }))
    // Only the first run asks, before it begins.
    expect(await machines.plan(both(web), targets)).toEqual(['nothing to do'])
  })

  test('are refused if nobody can read what the client reports', async () => {
    writeFileSync(there('installed'), '<html>')
    await expect(machines.plan(both(web), targets)).rejects.toMatchObject({ code: 'client-failed' })
    writeFileSync(there('spoil'), 'exit 9')
    await expect(machines.plan(both(web), targets)).rejects.toMatchObject({ code: 'client-failed' })
    expect(machines.calls()).toEqual([])
  })
})
