import { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { Machines } from './testing.ts'

const FLEETING = { ending: 'session', account: 'anna', unit: 'session-3.scope' } as const
const WHY = "systemd-logind ends what 'anna' has started there when davit logs out (KillUserProcesses)"

let machines: Machines
beforeEach(() => {
  machines = new Machines()
})
afterEach(async () => machines.close())

describe('planFor(), where what davit starts ends with its session', () => {
  async function fleeting() {
    const target = await machines.target('one', 'one')
    const facts = { ...target.machine.facts, fleeting: FLEETING }
    Object.defineProperty(target.machine, 'facts', { value: facts })
    return [target]
  }

  test.each(['process', 'sysvinit-script'])('refuses a %s, before anything is stopped', async (type) => {
    const targets = await fleeting()
    const before = machines.manifest({ one: { old: {} } })
    await machines.deploy(before, targets)
    machines.calls()
    const next = typed(machines.manifest({ one: { new: {} } }), type)
    const refused = await machines.deploy(next, targets).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'ends-at-logout',
      exitStatus: 1,
      diagnostics: [
        {
          message: `'new' on 'one' cannot be started: ${WHY}`,
          hint: 'as root there: loginctl enable-linger anna; davit then starts services with systemd-run --user',
        },
      ],
    })
    expect(refused).toBeInstanceOf(DavitError)
    expect([machines.up(), machines.calls()]).toEqual([['old'], []])
  })

  test('allows what servers run, and what is stopped', async () => {
    const targets = await fleeting()
    const next = typed(machines.manifest({ one: { a: {} } }), 'postgresql-database')
    expect((await machines.plan(next, targets)).join('\n')).not.toContain('may end')
    await machines.deploy(next, targets)
    expect(machines.up()).toEqual(['a'])
    await machines.deploy(machines.manifest({ one: {} }), targets)
    expect(machines.up()).toEqual([])
  })

  test('allows processes where nothing ends', async () => {
    const targets = [await machines.target('one', 'one')]
    await machines.deploy(typed(machines.manifest({ one: { a: {} } }), 'process'), targets)
    expect(machines.up()).toEqual(['a'])
  })

  test('warns of what only its module knows', async () => {
    const targets = await fleeting()
    const plan = await machines.plan(machines.manifest({ one: { a: {} } }), targets)
    expect(plan.join('\n')).toContain(`'a' may end as soon as davit has gone: ${WHY}`)
  })
})

/** Gives all services another type, whose module is like the others. */
function typed(manifest: Manifest, type: string): Manifest {
  machines.module(type)
  return {
    ...manifest,
    services: new Map([...manifest.services].map(([key, service]) => [key, { ...service, type }] as const)),
  }
}
