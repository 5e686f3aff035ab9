import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emissionOf, servicesIn, stackOf, targetsNamed } from '@davit/stack-machines/testing'
import { freePort } from '@davit/testing/free-port'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect } from 'vitest'

import { builtInModules } from '../src/modules.ts'
import type { Docker } from './docker.ts'

const shipped = (await builtInModules()).get('docker-container')

const VALUES = { LINES: 'a\n\n\\n b\n', LONG: 'x'.repeat(100_000), QUOTES: `'"$HOME` }
const PROGRAM = `echo "$0|$LINES|$QUOTES|$PORT|\${#LONG}|$(/bin/busybox cat /data/file)" >/www/index.html
exec /bin/busybox httpd -f -p "127.0.0.1:$PORT" -h /www`

/** Builds the package of a container of a stack, activates it, and looks at what its image was given. */
export async function proveStackImage(docker: Docker): Promise<void> {
  const [port, directory] = [await freePort(), scratchDirectory()]
  const image = docker.archive('davit-shop:1', 'exit 1')
  mkdirSync(join(directory, 'shop.disk'))
  writeFileSync(join(directory, 'shop.disk/file'), 'kept\n')
  const words = JSON.stringify(['/bin/sh', '-c', PROGRAM, 'zero\nwords'])
  const texts = {
    ...stackOf({
      web: `type: mu/container, image: ./web.tar, port: ${port}, command: ${words}, env: ${JSON.stringify(VALUES)}, volumes: { /data: disk }`,
      disk: 'type: mu/volume',
    }),
    'Muspace.yaml': `clusters: { here: { default: true, settings: { volumeDirectory: ${directory} } } }\n`,
  }
  const targets = targetsNamed(['one'], ['docker-container', 'fileset'])
  const { script } = servicesIn(emissionOf(texts, { targets }))['shop.web']!.pkg.build!
  const [component, module] = [join(directory, 'shop.web'), join(directory, 'docker-container')]
  writeFileSync(module, shipped?.script ?? '', { mode: 0o755 })
  const env = {
    ...process.env,
    ...docker.properties,
    out: component,
    image,
    DYSNOMIA_STATEDIR: join(directory, 'state'),
  }
  const run = (argv: readonly string[]) => spawnSync(argv[0]!, argv.slice(1), { env, encoding: 'utf8' })
  expect(run(['/bin/sh', '-eu', '-c', script])).toMatchObject({ status: 0, stderr: '' })
  const call = (activity: string) => run([module, activity, component, 'docker-container'])
  expect(call('activate')).toMatchObject({ status: 0, stderr: '' })
  const { LINES, LONG, QUOTES } = VALUES
  const answer = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  expect(answer).toBe(['zero\nwords', LINES, QUOTES, port, LONG.length, 'kept\n'].join('|'))
  expect(call('deactivate')).toMatchObject({ status: 0 })
  expect(await docker.everything()).toEqual([])
}
