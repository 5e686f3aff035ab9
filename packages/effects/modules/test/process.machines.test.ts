import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@davit/testing/processes'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'
import { configured, FOREVER, Scene, scratchPath, installedShells, shippedModule } from './scene.ts'

const shells = installedShells()
const isRoot = process.getuid?.() === 0

describe.concurrent.each(shells)('process under $name', (shell) => {
  test('starts, reports and stops a program', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    expect(await scene.call('activate')).toMatchObject({ status: 0, stderr: '' })
    await until(() => expect(scene.read('log/web.log')).toBe('up\n'))
    expect(await scene.call('status')).toMatchObject({ status: 0 })
    const pid = scene.pid()
    expect(isAlive(pid)).toBe(true)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect(isAlive(pid)).toBe(false)
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
  })

  test.each([
    ['.', isRoot],
    ['share/..', isRoot],
    ['/', false],
  ])('warns root of the working directory %s if it is inside of the package', async (directory, isWarned) => {
    const scene = new Scene(shell, { 'bin/web': FOREVER, 'share/x': '' })
    const settings = scene.component + '/etc/dysnomia/process'
    mkdirSync(settings, { recursive: true })
    writeFileSync(join(settings, 'web'), `workingDirectory=${directory}\n`)
    const { status, stderr } = await scene.call('activate')
    expect(status).toBe(0)
    expect(stderr.includes('is inside of the package')).toBe(isWarned)
    expect(stderr.includes('stateDirectory')).toBe(isWarned)
    await scene.call('deactivate')
  })

  test.runIf(shell.inDepth)('starts nothing when the program runs already', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    await scene.call('activate')
    const pid = scene.pid()
    expect(await scene.call('activate')).toMatchObject({ status: 0 })
    expect(scene.pid()).toBe(pid)
    await scene.call('deactivate')
    expect(scene.read('log/web.log')).toBe('up\n')
  })

  test.runIf(shell.inDepth)('keeps services, containers and versions apart', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    const argv = (activity: string) => [shippedModule('process'), activity, scene.component, 'process2']
    await Promise.all([
      scene.call('activate'),
      scene.run(argv('activate')),
      scene.call('activate', { DAVIT_KEY: 'k2' }),
    ])
    const pid = scene.pid()
    expect(await scene.run(argv('deactivate'))).toMatchObject({ status: 0 })
    expect(await scene.call('deactivate', { DAVIT_KEY: 'k2' })).toMatchObject({ status: 0 })
    expect(isAlive(pid)).toBe(true)
    expect(existsSync(join(scene.directory, 'log/web@process2.log'))).toBe(true)
    await scene.call('deactivate')
  })

  test('gives the program its properties unharmed, an empty input, a session and no other open files', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    const names = ['status', 'main', 'state', 'line', 'name', 'pid', 'start', 'record', 'log', 'container', 'component']
    const properties = Object.fromEntries(
      names.map((name) => [name, `"it's" $(touch "$SCENE/bad"); *\n\`x\` ü ${name}\\`]),
    )
    expect(await scene.call('activate', properties)).toMatchObject({ status: 0, stderr: '' })
    const program = `/proc/${scene.pid()}`
    const environment = readFileSync(`${program}/environ`, 'utf8').split('\0')
    expect(environment).toEqual(
      expect.arrayContaining(Object.entries(properties).map(([name, value]) => `${name}=${value}`)),
    )
    expect(environment).toContain(`DAVIT_COMPONENT=${scene.component}`)
    // Descriptors of two digits come from whoever started the tests; a POSIX shell cannot close them.
    const open = readdirSync(`${program}/fd`).filter((name) => name.length === 1)
    const files = open.map((name) => readlinkSync(`${program}/fd/${name}`))
    expect(files).toEqual(['/dev/null', `${scene.record}.output`, `${scene.record}.output`])
    expect(statFields(scene.pid())[3]).toBe(String(scene.pid()))
    expect(existsSync(join(scene.directory, 'bad'))).toBe(false)
    await scene.call('deactivate')
  })

  test('starts a program that outlives the process group of the caller', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    const script = 'sh "$0" activate "$1" && touch "$SCENE/done" && sleep 1000'
    const caller = scene.begin(['-c', script, shippedModule('process'), scene.component])
    await until(() => existsSync(join(scene.directory, 'done')))
    process.kill(-caller.pid!, 'SIGKILL')
    await until(() => !isAlive(caller.pid!))
    expect(await scene.call('status')).toMatchObject({ status: 0 })
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
  })

  test('leaves a record behind when it is killed, by which everything is stopped', async () => {
    const scene = new Scene(shell, configured("process='exec sleep 1000' readyCommand=false"))
    const cut = scene.begin([shippedModule('process'), 'activate', scene.component])
    await until(() => existsSync(scene.record))
    process.kill(cut.pid!, 'SIGKILL')
    const pid = scene.pid()
    expect(isAlive(pid)).toBe(true)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect(isAlive(pid)).toBe(false)
  })

  test.runIf(shell.inDepth)('kills a program that ignores TERM', async () => {
    const scene = new Scene(shell, { 'bin/web': "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n" })
    await scene.call('activate')
    const pid = scene.pid()
    const { status, stderr } = await scene.call('deactivate', { stopTimeout: '1' })
    expect([status, stderr]).toEqual([0, expect.stringContaining('still alive after 1 s')])
    expect(isAlive(pid)).toBe(false)
  })

  test.runIf(shell.inDepth)(
    'kills a child without environment that ignores TERM, after the program itself has gone',
    async () => {
      const program = `#!/bin/sh
env -i sh -c 'trap "" TERM; while :; do sleep 1; done' & echo $! >"$SCENE/child"
exec sleep 1000
`
      const scene = new Scene(shell, { 'bin/web': program })
      await scene.call('activate')
      expect(await scene.call('deactivate', { stopTimeout: '1' })).toMatchObject({ status: 0 })
      expect(isAlive(scene.pidIn('child'))).toBe(false)
    },
  )

  test.runIf(shell.inDepth)('stops the other processes when one that is to be signalled ends meanwhile', async () => {
    const program = `#!/bin/sh
env -i SCENE="$SCENE" sh -c 'trap "" TERM; sleep 1000 & echo $! >"$SCENE/brief"; wait; while :; do sleep 1; done' &
echo $! >"$SCENE/child"
exec sleep 1000
`
    // With it the list of those that live is complete.
    const grep = `#!/bin/sh
/bin/grep "$@"
status=$?
if [ -e "$SCENE/stopping" ] && read -r pid <"$SCENE/brief"; then
  kill -KILL "$pid"
  while [ -e "/proc/$pid" ]; do sleep 0.01; done
fi 2>/dev/null
exit "$status"
`
    const scene = new Scene({ ...shell, path: `${scratchPath({ grep })}:${shell.path}` }, { 'bin/web': program })
    await scene.call('activate')
    await until(() => scene.pidIn('brief') > 0)
    scene.write(join(scene.directory, 'stopping'), '')
    expect(await scene.call('deactivate', { stopTimeout: '1' })).toMatchObject({ status: 0 })
    expect(isAlive(scene.pidIn('child'))).toBe(false)
  })

  test('stops children, and those that left for a session of their own', async () => {
    const program = `#!/bin/sh
sleep 1000 & echo $! >"$SCENE/child"
setsid sh -c 'echo $$ >"$SCENE/escaped"; exec sleep 1000' &
wait
`
    const scene = new Scene(shell, { 'bin/web': program })
    await scene.call('activate')
    const pids = [scene.pid(), scene.pidIn('child'), scene.pidIn('escaped')]
    expect(pids.map(isAlive)).toEqual([true, true, true])
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect(pids.map(isAlive)).toEqual([false, false, false])
  })

  test.runIf(shell.inDepth)('stops the children of a program that crashed', async () => {
    const scene = new Scene(shell, { 'bin/web': '#!/bin/sh\nsleep 1000 & echo $! >"$SCENE/child"\nwait\n' })
    await scene.call('activate')
    const pid = scene.pid()
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    expect(await scene.call('status')).toMatchObject({ status: 3 })
    expect(isAlive(scene.pidIn('child'))).toBe(true)
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
    expect(isAlive(scene.pidIn('child'))).toBe(false)
  })

  test.each(['start time', 'boot'])(
    'never signals a process whose %s is another than the recorded one',
    async (what) => {
      const scene = new Scene(shell, { 'bin/web': FOREVER })
      const stranger = spawn('sleep', ['1000'], {
        detached: true,
        env: { SCENE: scene.directory, PATH: '/bin:/usr/bin' },
      })
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      const began = statFields(stranger.pid!)[19]
      const forged = what === 'boot' ? `other-${boot} token program` : `${boot} token program`
      const start = what === 'boot' ? began : `${began}1`
      scene.write(scene.record, `${forged} ${stranger.pid} ${start} ${stranger.pid}\n`)
      expect(await scene.call('status')).toMatchObject({ status: 3 })
      expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
      expect(isAlive(stranger.pid!)).toBe(true)
      expect(await scene.call('activate')).toMatchObject({ status: 0 })
      expect(scene.pid()).not.toBe(stranger.pid)
      await scene.call('deactivate')
      expect(isAlive(stranger.pid!)).toBe(true)
      stranger.kill('SIGKILL')
    },
  )

  test('stops with the signal that the component asks for', async ({ skip }) => {
    if (shell.name === 'busybox') skip('a shell starts programs with INT ignored, and env of busybox cannot undo it')
    const program = `#!/bin/sh\ntrap 'echo interrupted; exit 0' INT\necho up\nwhile :; do sleep 0.05; done\n`
    const scene = new Scene(shell, configured('stopSignal=SIGINT\n', { 'bin/web': program }))
    await scene.call('activate')
    expect(await scene.call('deactivate')).toMatchObject({ status: 0, stderr: '' })
    expect(scene.read('log/web.log')).toBe('up\ninterrupted\n')
  })

  test.runIf(shell.inDepth).each([
    ['no pid file', 'process=true pidFile=/nonexistent/pid timeout=1', "there is no pid file '/nonexistent/pid'"],
    [
      'no return',
      "process='sleep 1000' pidFile=/nonexistent/pid readyTimeout=1",
      'waiting for the start command to return',
    ],
    // Without a port, a busy machine may not have begun the program yet when the module looks at it.
    ['a program that is done', 'process=true readyPort=1', 'the program ended with status 0'],
    ['a command that is not there', 'process=/nonexistent/web readyPort=1', 'the program ended with status 127'],
    ['a directory that is not there', 'process=true workingDirectory=/nonexistent', '/nonexistent'],
    ['no number', 'process=true readyTimeout=soon', "readyTimeout 'soon' is not a number"],
    ['no signal', 'process=true stopSignal=9', "stopSignal '9' is not one of"],
    ['no shell text', "process='", 'cannot read'],
  ])('fails on %s', async (_, settings, message) => {
    const scene = new Scene(shell, configured(settings))
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(await scene.call('deactivate')).toMatchObject({ status: 0 })
  })

  test.runIf(shell.inDepth).each([
    ['no executable', { 'bin/web': 'text' }, 'has no executable'],
    ['two executables', { 'bin/a': FOREVER, 'bin/b': FOREVER }, 'has several executables in bin'],
    ['two files of settings', { 'etc/dysnomia/process/a': '', 'etc/dysnomia/process/b': '' }, 'has several files in'],
    ['nothing', {}, 'does not exist'],
  ])('fails on a component with %s', async (_, files, message) => {
    const scene = new Scene(shell, files)
    const { status, stderr } = await scene.call('activate')
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(stderr).toContain(`'${scene.component}'`)
  })

  test('works by hand, with the state directory of Dysnomia', async () => {
    const scene = new Scene(shell, { 'bin/web': FOREVER })
    const byHand = { DAVIT_RUN_DIR: '', DAVIT_LOG_DIR: '', DAVIT_SERVICE: '', DAVIT_KEY: '' }
    expect(await scene.call('activate', byHand)).toMatchObject({ status: 0 })
    expect(await scene.call('status', byHand)).toMatchObject({ status: 0 })
    expect(await scene.call('deactivate', byHand)).toMatchObject({ status: 0 })
    expect(scene.read('log/0123456789abcdef-web app.log')).toBe('up\n')
  })

  test.runIf(shell.inDepth)('knows no other activities', async () => {
    const scene = new Scene(shell, {})
    expect(await scene.call('lock')).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})

/** From the third on, the state: proc(5). */
function statFields(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')
}
