import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { shellConnection } from '@davit/connection/testing'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { beforeEach, describe, expect, test } from 'vitest'

import { type Call, findModule, openShell } from '../src/client-interface.ts'
import { type Scene, sceneOf } from './scene.ts'

describe.each(installedShells())('the script of an interactive shell in $name', (shell) => {
  let scene: Scene
  beforeEach(() => {
    scene = sceneOf(shell)
    scene.write('modules/own', '#!/bin/sh\n', 0o755)
    scene.write('modules/own.activities', 'activate\n')
  })

  const call = async (): Promise<Call> => ({
    module: await findModule('own', { directories: [join(scene.directory, 'modules')] }),
    container: '',
    component: dirname(scene.write('0123456789abcdfghijklmnpqrsvwxyz-shop/file', '')),
    properties: [['password', 'secret']],
  })
  const left = () => readdirSync(scene.directory).filter((name) => name.startsWith('davit-shell.'))

  test('is private, and removed if no shell has begun with it, also after an interruption', async () => {
    const interruption = new AbortController()
    const environment = { TMPDIR: scene.directory, DYSNOMIA_STATEDIR: scene.store }
    const client = scene.over(shellConnection(shell, scene.directory, { environment }), interruption.signal)
    const prepared = await openShell(client, await call())
    const script = prepared!.script
    expect(readFileSync(script, 'utf8')).toContain('secret')
    expect(statSync(dirname(script)).mode & 0o777).toBe(0o700)
    interruption.abort(new Error('interrupted'))
    await prepared!.remove()
    expect(left()).toEqual([])
  })

  // In Busybox, `mktemp` is part of the shell.
  test.skipIf(shell.name === 'busybox')('is not left behind if nobody waits for it any longer', async () => {
    const path = (name: string) => join(scene.directory, name)
    scene.write(
      'bin/mktemp',
      `#!/bin/sh
PATH=\${PATH#*:}
mktemp "$@" && : >'${path('made')}'
until [ -e '${path('go')}' ] || [ ! -e '${path('made')}' ]; do sleep 0.05; done
`,
      0o755,
    )
    const interruption = new AbortController()
    const environment = {
      TMPDIR: scene.directory,
      DYSNOMIA_STATEDIR: scene.store,
      PATH: `${path('bin')}:${shell.path}`,
    }
    const client = scene.over(shellConnection(shell, scene.directory, { environment }), interruption.signal)
    const opened = openShell(client, await call())
    await until(() => existsSync(path('made')))
    expect(left()).toHaveLength(1)
    interruption.abort(new Error('interrupted'))
    writeFileSync(path('go'), '')
    await opened.catch(() => {})
    await until(() => expect(left().length).toBe(0))
  })
})
