import { describe, expect, test } from 'vitest'
import { installedShells, runShell, Scene, shippedModule } from './scene.ts'

const shells = installedShells()

const echo = shippedModule('echo')
const wrapper = shippedModule('wrapper')
const odd = {
  quotes: `'"\``,
  expansion: '$(exit 1); ${x} \\n &',
  lines: 'one\ntwo=2\n\nthree ',
  unicode: 'ü ✓',
  empty: '',
}

describe.each(shells)('echo under $name', (shell) => {
  test('prints the activity, then the variables by name, as they are', async () => {
    const { status, stdout } = await runShell(shell, [echo, 'activate', '/a b/web', 'c1'], odd)
    expect(status).toBe(0)
    expect(stdout).toBe(`activate /a b/web in c1
PATH=${shell.path}
empty=
expansion=${odd.expansion}
lines=${odd.lines}
quotes=${odd.quotes}
unicode=${odd.unicode}
`)
  })

  test('names itself as the container when there is none', async () => {
    const { stdout } = await runShell(shell, [echo, 'lock', '/web'], {})
    expect(stdout).toMatch(/^lock \/web in echo\n/)
  })

  test.each([echo, wrapper, shippedModule('process')])('%s wants a component', async (module) => {
    const { status, stderr } = await runShell(shell, [module, 'activate'], {})
    expect([status, stderr]).toEqual([1, expect.stringContaining('usage')])
  })
})

describe.each(shells)('wrapper under $name', (shell) => {
  const answering = { 'bin/wrapper': '#!/bin/sh\nprintf "%s|" "$@" "$lines" "$expansion" "$SCENE"\nexit 9\n' }

  test.each(['activate', 'lock', 'anything at all'])(
    'passes on %s, the container and the properties',
    async (activity) => {
      const scene = new Scene(shell, answering)
      const { status, stdout } = await scene.run([wrapper, activity, scene.component, 'c 1'], odd)
      expect([status, stdout]).toEqual([9, [activity, 'c 1', odd.lines, odd.expansion, scene.directory, ''].join('|')])
    },
  )

  test('names itself as the container when there is none', async () => {
    const scene = new Scene(shell, answering)
    expect((await scene.run([wrapper, 'activate', scene.component])).stdout).toMatch(/^activate\|wrapper\|/)
  })

  test.each([{}, { 'bin/wrapper': 'text' }])('fails on a component without the executable: %j', async (files) => {
    const scene = new Scene(shell, files)
    const { status, stderr } = await scene.run([wrapper, 'activate', scene.component])
    expect([status, stderr]).toEqual([1, expect.stringContaining(`cannot activate '${scene.component}'`)])
  })
})
