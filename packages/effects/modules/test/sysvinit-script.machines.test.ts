import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import type { Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'

import { installedShells, scratchPath, shippedModule } from './scene.ts'
import { exampleOf, Stateful } from './stateful.ts'
import { plainScript, serviceScript } from './sysvinit.ts'

const shells = installedShells()
const inDepth = shells.filter((shell) => shell.inDepth)

describe.concurrent.each(shells)('sysvinit-script under $name', (shell) => {
  test('starts scripts in their order, revives them, and stops them in the reverse order', async () => {
    const scene = component(shell, {
      S02web: serviceScript('web'),
      'S01-ü $(x) log': plainScript('log'),
      K01web: plainScript('never'),
    })
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    await scene.succeed('activate', 'activate', 'status')
    expect(calls(scene)).toEqual(['log start', 'web start'])
    const pid = scene.pidIn('web.pid')
    process.kill(pid)
    await until(() => !isAlive(pid))
    expect(await scene.call('status')).toMatchObject({ status: 3, stderr: expect.stringContaining('does not run') })
    await scene.succeed('activate', 'status')
    expect(calls(scene)).toEqual(['web start'])
    await scene.succeed('deactivate', 'deactivate')
    expect(calls(scene)).toEqual(['web stop', 'log stop'])
    expectNothing(scene)
  })

  test('passes properties on as they are', async () => {
    const odd = { component: `"'\``, container: '$(x) \\n', module: 'ü\nb', timeout: '20', record: 'x' }
    const print = 'printf "%s|" "$component" "$container" "$module" "$timeout" "$record" >"$SCENE/properties"'
    const scene = component(shell, { S1web: `#!/bin/sh\n[ "$1" != start ] || ${print}\n` }, odd)
    await scene.succeed('activate', 'deactivate')
    const { component: first, container, module, timeout, record } = odd
    expect(scene.read('properties')).toBe([first, container, module, timeout, record, ''].join('|'))
  })

  test('knows what Dysnomia has started, even if no script says so', async () => {
    const scene = component(shell, { S01log: plainScript('log'), S02web: serviceScript('web') })
    await scene.succeed('activate')
    calls(scene)
    scene.adopt('of-another-boot\n')
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    scene.adopt()
    await scene.succeed('status', 'activate', 'status')
    expect(calls(scene)).toEqual([])
    scene.adopt()
    await scene.succeed('deactivate', 'deactivate')
    expect(calls(scene)).toEqual(['web stop', 'log stop'])
    expectNothing(scene)
    expect(readdirSync(join(scene.directory, 'run/adopted'))).toEqual([])
  })

  test('stops what was started when one fails', async () => {
    const failing = '#!/bin/sh\necho "broken $1" >>"$SCENE/journal"\n[ "$1" != start ] || exit 7\n'
    const scene = component(shell, { S1web: serviceScript('web'), S2broken: failing, S3never: plainScript('never') })
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/S2broken start' ended with status 7\n.*cannot activate/),
    ])
    expect(calls(scene)).toEqual(['web start', 'broken start', 'broken stop', 'web stop'])
    expectNothing(scene)
  })
})

describe.concurrent.each(inDepth)('sysvinit-script in depth under $name', (shell) => {
  test('fails when a program ends at once, or never says that it runs', async () => {
    const seenOnce = `#!/bin/sh
cd "$SCENE" || exit 1
case $1 in start) touch started ;; stop) rm -f started; rmdir seen ;; status) [ -e started ] && mkdir seen ;; esac || exit 3
`
    const short = component(shell, { S1web: seenOnce })
    const ended = await short.call('activate')
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining("S1web' does not run")])
    expectNothing(short)
    const silent = '#!/bin/sh\ncase $1 in "status") echo starting; exit 3 ;; esac\n'
    const scene = component(shell, { S1web: silent }, { timeout: '0' })
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('does not say that it runs after 0 s: starting')])
  })

  test('fails when a script cannot stop its program, and stops it later', async () => {
    const scene = component(shell, { S1web: serviceScript('web'), S2log: serviceScript('log') }, { timeout: '0' })
    await scene.succeed('activate')
    const pid = scene.pidIn('web.pid')
    const script = join(scene.component, 'etc/rc.d/rc3.d/S1web')
    scene.write(script, '#!/bin/sh\n[ "$1" = status ] && exit 0\nexit 5 # status)\n')
    const { status, stderr } = await scene.call('deactivate')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/S1web stop' ended with status 5, and it still runs/)])
    expect([isAlive(pid), existsSync(join(scene.directory, 'log.pid'))]).toEqual([true, false])
    scene.write(script, serviceScript('web'))
    await scene.succeed('deactivate')
    expectNothing(scene)
  })

  test('starts everything again after the machine was restarted', async () => {
    const scene = component(shell, { S1log: plainScript('log') })
    await scene.succeed('activate')
    rmSync(join(scene.directory, 'log.runs'))
    const record = recordOf(scene)
    writeFileSync(record, scene.read(record.slice(scene.directory.length)).replace(/^boot .*/, 'boot earlier'))
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    await scene.succeed('deactivate', 'activate', 'status')
    expect(calls(scene)).toEqual(['log start', 'log start'])
    await scene.succeed('deactivate')
  })

  test('takes the entries of another run level', async () => {
    const scene = new Stateful(shell, 'sysvinit-script', {
      files: { 'etc/rc.d/rc5.d/S1log': plainScript('log'), 'etc/rc.d/rc3.d/S1web': plainScript('web') },
      properties: { runlevel: '5' },
    })
    await scene.succeed('activate', 'deactivate')
    expect(calls(scene)).toEqual(['log start', 'log stop'])
  })

  test.each([
    ['no entries', {}, {}, "no file 'etc/rc.d/rc3.d/S*'"],
    ['an entry that cannot be executed', { S1log: 'text' }, {}, 'is not an executable file'],
    ['a strange run level', { S1log: plainScript('log') }, { runlevel: '../3' }, "runlevel '../3' is not"],
    ['a strange time', { S1log: plainScript('log') }, { timeout: '1 h' }, "timeout '1 h' is not a number"],
  ])('refuses %s before anything is started', async (_, files, properties, message) => {
    const scene = component(shell, files, properties)
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
    expectNothing(scene)
  })

  test.each(['activate', 'deactivate'])('can be killed at any step of %s', async (activity) => {
    const kill = (name: string) => `#!/bin/sh
[ -e "$SCENE/calm" ] || { echo >>"$SCENE/steps"; [ "$(wc -l <"$SCENE/steps")" != "$step" ] || kill -KILL 0; }
${serviceScript(name)}`
    const plain = plainScript('log').replace('#!/bin/sh', kill('log').split('\n').slice(0, 2).join('\n'))
    for (let step = 1, done = false; !done; step++) {
      const scene = component(shell, { S1web: kill('web'), S2log: plain })
      if (activity === 'deactivate') await calm(scene, 'activate')
      rmSync(join(scene.directory, 'calm'), { force: true })
      done = (await scene.killed(activity, 1000, { step: String(step) })).status === 0
      if (step % 2 === 0) await calm(scene, 'activate', 'status')
      await calm(scene, 'deactivate')
      expectNothing(scene)
    }
  })

  test('runs the scripts of the example', async () => {
    const scene = component(shell, {})
    const directory = scratchPath({})
    expect(spawnSync('sh', ['-e'], { cwd: directory, input: exampleOf('sysvinit-script') }).status).toBe(0)
    const call = (activity: string) =>
      scene.run([shippedModule('sysvinit-script'), activity, join(directory, 'clock')], {
        ...scene.properties,
        runtimeDir: scene.directory,
      })
    for (const activity of ['activate', 'status']) {
      expect(await call(activity)).toMatchObject({ status: 0, stderr: '' })
    }
    expect(isAlive(scene.pidIn('clock.pid'))).toBe(true)
    expect(await call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expectNothing(scene)
  })
})

function component(
  shell: Shell,
  entries: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, string>> = {},
): Stateful {
  return new Stateful(shell, 'sysvinit-script', {
    files: Object.fromEntries(Object.entries(entries).map(([name, text]) => [`etc/rc.d/rc3.d/${name}`, text])),
    properties,
  })
}

/** Calls activities that are not killed. */
async function calm(scene: Stateful, ...activities: readonly string[]): Promise<void> {
  writeFileSync(join(scene.directory, 'calm'), '')
  for (const activity of activities) expect(await scene.call(activity)).toMatchObject({ status: 0 })
}

/** What was started and stopped since the last time. */
function calls(scene: Stateful): readonly string[] {
  const lines = scene.read('journal').trimEnd().split('\n')
  rmSync(join(scene.directory, 'journal'))
  return lines.filter((line) => !line.endsWith(' status'))
}

function recordOf(scene: Stateful): string {
  return join(scene.directory, 'run/sysvinit-script/sysvinit-script/key1')
}

function expectNothing(scene: Stateful): void {
  expect(readdirSync(scene.directory).filter((name) => /\.(pid|runs)$/.test(name))).toEqual([])
  expect(existsSync(recordOf(scene))).toBe(false)
}
