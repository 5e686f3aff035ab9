import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest, StorePath, TargetName } from '@davit/documents'
import { expect, onTestFinished, test } from 'vitest'
import { Machines } from './testing.ts'

const BROKEN = 'echo "$1 is broken" >&2; exit 7'

/** A machine on which `web` runs, activated with a module that cannot stop it. */
async function stuck() {
  const machines = new Machines()
  onTestFinished(() => machines.close())
  const targets = [await machines.target('m', 't')]
  const module = (name: string, body: string) => {
    const file = join(machines.directory, name, 'modules/module')
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, `#!/bin/sh\nname=\${2##*-}\necho "${name} $1 $name" >>'${machines.directory}/log'\n${body}\n`)
    chmodSync(file, 0o755)
  }
  const withModules = (manifest: Manifest, name: string): Manifest => ({
    ...manifest,
    profiles: new Map([['t' as TargetName, join(machines.directory, name) as StorePath]]),
  })
  module('first', `[ "$1" != deactivate ] || { ${BROKEN}; }`)
  const next = machines.manifest({ t: { web: {} } })
  expect(await machines.deploy(withModules(next, 'first'), targets)).toMatchObject({ kind: 'completed' })
  machines.calls()
  const nothing = machines.manifest({ t: {} })
  const undeploy = (name: string) => machines.deploy(withModules(nothing, name), targets)
  return { machines, module, undeploy, plan: () => machines.plan(nothing, targets) }
}

test('what its recorded module cannot stop is stopped by the module of the manifest', async () => {
  const { machines, module, undeploy, plan } = await stuck()
  module('second', ':')
  expect(await undeploy('second')).toMatchObject({ kind: 'completed' })
  expect(machines.calls()).toEqual(['first deactivate web', 'second deactivate web'])
  expect(machines.told()).toContain(
    "note: cannot deactivate 'web' with the module that activated it; trying the module of the manifest",
  )
  expect(await plan()).toEqual(['nothing to do'])
})

test('what neither module can stop remains, with the failures of both', async () => {
  const { machines, module, undeploy, plan } = await stuck()
  module('second', `[ "$1" != deactivate ] || { echo "the second one as well" >&2; exit 8; }`)
  const outcome = await undeploy('second')
  expect(outcome).toMatchObject({
    failures: [
      {
        message: 'its module ended with status 7; with the module of the manifest: its module ended with status 8',
        log: 'deactivate is broken\nthe second one as well\n',
      },
    ],
  })
  expect(machines.calls()).toEqual(['first deactivate web', 'second deactivate web', 'first activate web'])
  expect(await plan()).toEqual(['deactivate web in web on t (undeployed)'])
})

test.each(['first', 'elsewhere'])('a module is not tried twice, nor one that is not there (%s)', async (name) => {
  const { machines, undeploy } = await stuck()
  expect(await undeploy(name)).toMatchObject({ failures: [{ message: 'its module ended with status 7' }] })
  expect(machines.calls()).toEqual(['first deactivate web', 'first activate web'])
})
