import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../scripts/executables.ts'
import { HOSTS_POSSIBLE } from '../harness/hosts.ts'

let directory: string
let place: string
let run: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-left-'))
  place = join(directory, 'machine')
  run = join(directory, 'run')
  await mkdir(join(run, 'tmp'), { recursive: true })
  await mkdir(join(run, 'sets'))
  await mkdir(place)
  await writeFile(join(place, 'old'), 'as it was')
})
afterEach(() => rm(directory, { recursive: true }))

/** Checks as scripts/test does, but in a directory of its own instead of those of the machine. */
async function check(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', [
    '-euc',
    `. "$0/scripts/test.d/left-behind.bash"\nplace=$1\nplaces() { echo "$place"; }\nplaces_of_logs=("$place/logs")\npatience_seconds=0\n${script}`,
    ROOT,
    place,
    run,
  ])
  return stdout
}
const remember = () => check('take_picture "$2/before" "$2" "$0"')
const left = (alone: 'yes' | 'no' = 'no') => check(`print_left "$2/before" "$2" "$0" ${alone}`)
const own = (text: string) => text.split('\n').filter((line) => line.includes(directory))

describe('what tests leave behind', () => {
  test('is nothing when nothing is left', async () => {
    await remember()
    expect(await left()).toBe('')
  })

  test('is a file that is new or was changed, if nobody else can have done it', async () => {
    await remember()
    await writeFile(join(place, 'journal'), '1 activate database\n')
    await writeFile(join(place, 'old'), 'as it was not')
    await mkdir(join(place, 'new/in it'), { recursive: true })
    expect(own(await left('yes'))).toEqual([`file ${place}/journal`, `file ${place}/new`, `file ${place}/old`])
  })

  test('is what this machine would start later', async () => {
    const places = (await promisify(execFile)('bash', ['-c', '. "$0/scripts/test.d/left-behind.bash"; places', ROOT]))
      .stdout
    expect(places.split('\n')).toEqual(expect.arrayContaining(['/etc', '/var']))
    await remember()
    await mkdir(join(place, 'cron.d'))
    await writeFile(join(place, 'cron.d/davit-trial-0123456789ab'), '@reboot root true\n')
    expect(own(await left())).toEqual([`file ${place}/cron.d/davit-trial-0123456789ab`])
  })

  test('is a file that names the run, or lies in its place for temporary files', async () => {
    await remember()
    await writeFile(join(place, 'journal'), `written by ${run}/davit\n`)
    await writeFile(join(place, 'other'), 'written by somebody else')
    await mkdir(join(run, 'tmp/davit-test-1'))
    expect(own(await left())).toEqual([`file ${place}/journal`])
    expect(await left()).toContain('temporary file davit-test-1\n')
  })

  test('is no file among the logs of others that mentions the run', async () => {
    await mkdir(join(place, 'logs'))
    await remember()
    await writeFile(join(place, 'logs/processes'), `1 bash ${run}/davit\n`)
    await writeFile(join(place, `logs/${basename(run)}`), '')
    expect(own(await left())).toEqual([`file ${place}/logs/${basename(run)}`])
  })

  test.each(['no', 'yes'] as const)('is not the log of the run, nor a file that others write (%s)', async (alone) => {
    await remember()
    const others = spawn('sh', ['-c', 'cat >"$0"', join(place, 'theirs')])
    others.stdin.write(run)
    await until(() => expect(readFileSync(join(place, 'theirs'), 'utf8')).toContain(run))
    const found = await check(`exec 3>&1 >"$place/log"; echo "$2"; print_left "$2/before" "$2" "$0" ${alone} >&3`)
    expect(own(found).filter((line) => line.startsWith('file'))).toEqual([])
    others.stdin.end()
    await once(others, 'close')
    expect(own(await left(alone))).toEqual(['log', 'theirs'].map((name) => `file ${join(place, name)}`))
  })

  test('is a place whose mode was changed, also that for its temporary files', async () => {
    await remember()
    await chmod(place, 0o700)
    await chmod(join(run, 'tmp'), 0o700)
    expect(own(await left())).toEqual([`mode ${place}`, `mode ${run}/tmp`])
  })

  test('is a process', async () => {
    await remember()
    const child = spawn('sleep', ['86396'], { env: { ...process.env, TMPDIR: join(run, 'tmp') }, detached: true })
    const ended = once(child, 'exit')
    expect(await left()).toBe(`process ${child.pid} sleep 86396 \n`)
    child.kill('SIGKILL')
    await ended
  })

  test.runIf(HOSTS_POSSIBLE)('is a mount, also one that keeps a network', async () => {
    await mkdir(join(place, 'mount'))
    await writeFile(join(place, 'network'), '')
    await remember()
    const script = 'mount -t tmpfs none "$0/mount" && unshare --net="$0/network" true'
    expect(spawnSync('sh', ['-c', script, place]).status).toBe(0)
    const found = own(await left('yes'))
    spawnSync('umount', [join(place, 'mount'), join(place, 'network')])
    expect(found.filter((line) => line.startsWith('mount'))).toEqual([`mount ${place}/mount`, `mount ${place}/network`])
    expect(own(await left('yes')).filter((line) => line.startsWith('mount'))).toEqual([])
  })

  test.runIf(HOSTS_POSSIBLE)('is a network interface of its hosts, and of nobody else’s', async () => {
    await remember()
    const script = 'ip link add "$0" type bridge && ip link set "$0" alias "davit-test-hosts:$1"'
    const names = ['ours', 'theirs'].map(
      (id) => [`dvl${process.pid}${id.slice(0, 1)}`, `${id}-${process.pid}`] as const,
    )
    for (const words of names) expect(spawnSync('sh', ['-c', script, ...words]).status).toBe(0)
    await writeFile(join(run, 'sets/.made'), `davit-test-hosts:ours-${process.pid}\n`)
    const found = await left()
    for (const [name] of names) spawnSync('ip', ['link', 'del', name])
    expect(found).toBe(`interface ${names[0]![0]}\n`)
  })

  test.runIf(HOSTS_POSSIBLE)('is a control group of its hosts, and of nobody else’s', async () => {
    await remember()
    const top = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((path) => existsSync(`${path}/cgroup.procs`))
    if (top === undefined) return
    const ids = [randomUUID(), randomUUID()]
    const groups = ids.map((id) => join(top, `davit-test-host-${id}-x1`))
    for (const group of groups) await mkdir(group)
    await writeFile(join(run, 'sets/.made'), `davit-test-hosts:${ids[0]}\n`)
    const found = await left()
    for (const group of groups) await rmdir(group)
    expect(found).toBe(`group ${groups[0]}\n`)
  })
})
