import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { shellConnection, type ShellConnection } from '@davit/connection/testing'
import { DYSNOMIA_MODULES } from '@davit/testing/dysnomia'
import { sampleOf } from '@davit/testing/effort'
import { exposuresOf } from '@davit/testing/exposures'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { beforeEach, describe, expect, test } from 'vitest'

import { activity, type Call, findModule } from '../src/client-interface.ts'
import { type Scene, sceneOf } from './scene.ts'

const HASH = '0123456789abcdfghijklmnpqrsvwxyz'

describe.each(installedShells())('a module in $name', (shell) => {
  const some = (names: readonly string[]) => (shell.inDepth ? names : sampleOf(names, 1))
  let scene: Scene

  beforeEach(() => {
    scene = sceneOf(shell)
  })

  const own = (script: string, activities = 'activate\ndeactivate\nstatus\n') => {
    scene.write('modules/own', `#!/bin/sh\n${script}`, 0o755)
    scene.write('modules/own.activities', activities)
  }
  const ownDirectories = () => (existsSync(join(scene.directory, 'modules')) ? [join(scene.directory, 'modules')] : [])
  const call = async (changes: Partial<Call> & { readonly type?: string } = {}): Promise<Call> => ({
    module: await findModule(changes.type ?? 'own', { directories: ownDirectories() }),
    container: '',
    component: scene.write(`${HASH}-shop-1.0/file`, '').replace('/file', ''),
    properties: [],
    ...changes,
  })
  const marks = (kind: string) => existsSync(join(scene.store, kind))

  test('is called with activity, component, container and properties, whatever they contain', async () => {
    own('printf "<%s>" "$@" "$one" "$two"')
    const properties = [
      ['one', `it's "$(touch ${scene.directory}/touched)" \`id\` ; \\ü`],
      ['two', '-n\nsecond line\n'],
    ] as const
    expect(await activity(scene.client, 'activate', await call({ properties, container: 'box' }))).toBe(0)
    const component = join(scene.directory, `${HASH}-shop-1.0`)
    expect(scene.take()).toEqual({
      printed: `<activate><${component}><box><${properties[0][1]}><${properties[1][1]}>`,
      said: '',
    })
    expect(existsSync(join(scene.directory, 'touched'))).toBe(false)
  })

  test('has its type as container if none is named', async () => {
    own('echo "in $3"')
    expect(await activity(scene.client, 'activate', await call())).toBe(0)
    expect(scene.take().printed).toBe('in own\n')
  })

  test('fails, and its status and output are told', async () => {
    own('echo no; exit 7')
    expect(await activity(scene.client, 'activate', await call())).toBe(1)
    expect(scene.take()).toEqual({
      printed: 'no\n',
      said: "davit: 'activate' of 'shop-1.0' in 'own' ended with status 7\n",
    })
  })

  test('that has no such activity is not called', async () => {
    own('echo called')
    expect(await activity(scene.client, 'lock', await call())).toBe(0)
    expect(scene.take().printed).toBe('')
  })

  test('is that of davit if there is no other', async () => {
    const echo = await call({ type: 'echo' })
    expect(await activity(scene.client, 'activate', echo)).toBe(0)
    expect(scene.take().printed).toMatch(/^activate .*shop-1.0 in echo\n/)
  })

  test('is not called where others may have written', async () => {
    const echo = await call({ type: 'echo' })
    expect(await activity(scene.client, 'activate', echo)).toBe(0)
    scene.take()
    for (const place of ['', 'davit', 'davit/targets', 'davit/targets/here', 'davit/modules']) {
      const path = join(scene.store, place)
      for (const mode of [0o775, 0o757]) {
        chmodSync(path, mode)
        await expect(activity(scene.client, 'deactivate', echo)).rejects.toMatchObject({
          code: 'not-private',
          message: expect.stringContaining(`others may change '${path}', from`) as string,
        })
      }
      chmodSync(path, 0o755)
    }
    expect(await activity(scene.client, 'deactivate', echo)).toBe(0)
    expect(scene.take().printed).toMatch(/^deactivate /)
  })

  test('is that of Dysnomia before that of davit, and one of the user before both', async () => {
    const installed = scene.write('installed/echo', '#!/bin/sh\necho installed', 0o755).replace('/echo', '')
    const around = { DYSNOMIA_STATEDIR: scene.store, DYSNOMIA_MODULES_PATH: `/nowhere:${installed}` }
    const client = scene.over(shellConnection(shell, scene.directory, { environment: around }))
    expect(await activity(client, 'activate', await call({ type: 'echo' }))).toBe(0)
    expect(scene.take().printed).toBe('installed\n')
    scene.write('modules/echo', '#!/bin/sh\necho mine', 0o755)
    expect(await activity(client, 'activate', await call({ type: 'echo' }))).toBe(0)
    expect(scene.take().printed).toBe('mine\n')
  })

  test('is found in the package that provides its container, and by its path', async () => {
    const provider = join(scene.directory, 'provider')
    const module = scene.write('provider/libexec/dysnomia/box', '#!/bin/sh\necho "$1 in $3"', 0o755)
    for (const type of [provider, module]) {
      expect(await activity(scene.client, 'activate', await call({ type, container: 'box' }))).toBe(0)
      expect(scene.take().printed).toBe('activate in box\n')
    }
    scene.write('provider/libexec/dysnomia/other', '#!/bin/sh\n', 0o755)
    await expect(activity(scene.client, 'activate', await call({ type: provider }))).rejects.toMatchObject({
      code: 'no-module',
      message: `more than one module in '${provider}/libexec/dysnomia'`,
    })
  })

  test.each(some(['nothing', '/nowhere/module', '../up', '-x']))('of the type %s does not exist', async (type) => {
    await expect(activity(scene.client, 'activate', await call({ type }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(no-module|bad-request)$/) as string,
    })
  })

  test.each(some(['a b', "it's", '$(id)', '-x']))('is not called for the component %s', async (name) => {
    own('echo called')
    const component = join(scene.directory, name)
    await expect(activity(scene.client, 'activate', await call({ component }))).rejects.toMatchObject({
      code: 'bad-request',
    })
    expect(scene.take().printed).toBe('')
  })

  test('leaves its component marked as active, and its state as garbage', async () => {
    own('', 'activate\ndeactivate\ncollect-garbage\n')
    expect(await activity(scene.client, 'activate', await call())).toBe(0)
    expect([marks('activated/own/shop-1.0'), marks('garbage/own/shop-1.0')]).toEqual([true, false])
    expect(await activity(scene.client, 'deactivate', await call())).toBe(0)
    expect([marks('activated/own/shop-1.0'), marks('garbage/own/shop-1.0')]).toEqual([false, true])
    // Modules of Dysnomia read there as other users; what davit keeps beside it, nobody else does.
    const closed = ['activated', 'activated/own', 'garbage/own', 'davit/targets/here/active', 'davit/targets/here/log']
    expect(closed.filter((path) => (statSync(join(scene.store, path)).mode & 0o055) !== 0o055)).toEqual(closed.slice(3))
    expect(await activity(scene.client, 'collect-garbage', await call())).toBe(0)
    expect([marks('activated/own/shop-1.0'), marks('garbage/own/shop-1.0')]).toEqual([false, false])
  })

  test('does not delete the state of an active component', async () => {
    own('echo "$1"', 'activate\ndeactivate\ncollect-garbage\n')
    expect(await activity(scene.client, 'activate', await call())).toBe(0)
    scene.take()
    expect(await activity(scene.client, 'collect-garbage', await call())).toBe(0)
    expect(scene.take().printed).toBe('the state is in use, or was deleted\n')
  })

  test('of Dysnomia can deactivate what was never activated', async () => {
    scene.write('modules/own', DYSNOMIA_MODULES.stateless, 0o755)
    expect(await activity(scene.client, 'deactivate', await call())).toBe(0)
    expect(await activity(scene.client, 'activate', await call())).toBe(0)
    expect(marks('activated/own/shop-1.0')).toBe(true)
    expect(await activity(scene.client, 'deactivate', await call())).toBe(0)
    expect(marks('activated/own/shop-1.0')).toBe(false)
  })

  test('of Dysnomia takes no hash off a name without one', async () => {
    scene.write('modules/own', DYSNOMIA_MODULES.stateless, 0o755)
    const component = scene.write('plain-component/file', '').replace('/file', '')
    expect(await activity(scene.client, 'activate', await call({ component }))).toBe(0)
    expect(marks('activated/own/plain-component')).toBe(true)
  })

  test('does not have properties in command lines', async () => {
    own(
      `: >${scene.directory}/began; until [ -e ${scene.directory}/go ] || [ ! -e ${scene.directory} ]; do sleep 0.05 2>/dev/null || sleep 1; done`,
    )
    const secret = randomUUID()
    const running = activity(scene.client, 'activate', await call({ properties: [['password', secret]] }))
    await until(() => expect(existsSync(join(scene.directory, 'began'))).toBe(true))
    const exposed = exposuresOf([secret]).filter(({ where }) => where === 'arguments')
    scene.write('go', '')
    expect(await running).toBe(0)
    expect(exposed).toEqual([])
  })

  test('goes on if the connection is lost, and the next activity of the component waits for it', async () => {
    const [began, go, calls] = ['began', 'go', 'calls'].map((name) => join(scene.directory, name)) as [
      string,
      string,
      string,
    ]
    own(
      `echo "$1 begins" >>${calls}; : >${began}; [ "$1" = deactivate ] || until [ -e ${go} ] || [ ! -e ${scene.directory} ]; do sleep 0.05 2>/dev/null || sleep 1; done; echo "$1 ends" >>${calls}`,
    )
    const lost = new AbortController()
    const client = scene.over(scene.client.connection, lost.signal)
    const activation = activity(client, 'activate', await call())
    activation.catch(() => {})
    await until(() => expect(existsSync(began)).toBe(true))
    lost.abort(new Error('gone'))
    await expect(activation).rejects.toThrow('gone')
    const deactivation = activity(scene.client, 'deactivate', await call())
    const { pids } = scene.client.connection as ShellConnection
    await until(() => expect(programsBelow(pids.at(-1) ?? 0)).toContain('sleep'))
    scene.write('go', '')
    expect(await deactivation).toBe(0)
    const lines = ['activate begins', 'activate ends', 'deactivate begins', 'deactivate ends']
    expect(readFileSync(calls, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''))
  })
})

/** Names of the programs that run below a process. */
function programsBelow(ancestor: number): readonly string[] {
  const processes = readdirSync('/proc').flatMap((name) => {
    const file = join('/proc', name, 'stat')
    const stat = /^\d+$/.test(name) && existsSync(file) ? textOf(file) : ''
    const [, pid, program = '', parent] = /^(\d+) \((.*)\) \S+ (\d+)/.exec(stat) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), program, parent: Number(parent) }]
  })
  const below = (pid: number): readonly string[] =>
    processes.filter(({ parent }) => parent === pid).flatMap((child) => [child.program, ...below(child.pid)])
  return below(ancestor)
}

/** A process may have ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
