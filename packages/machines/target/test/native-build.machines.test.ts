import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import type { DavitError } from '@davit/diagnostics'
import { removeTree } from '@davit/files'
import type { Isolation } from '@davit/isolation'
import { encodeRegistration, openNativeStore, storeLayout, timeOfContent } from '@davit/store'
import { isThorough, isExhaustive } from '@davit/testing/effort'
import { type Shell, notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'

import { build, type Building, ENVIRONMENT, openBuilding, running, uniqueSleep } from './building.ts'
import { testCalls } from './functions.ts'
import { canPose, shellWithout } from './other-machine.ts'

const places = mkdtempSync(join(tmpdir(), 'davit-places-'))
afterAll(() => removeTree(places))
const shells = notingShells()
const bare = shellWithout(['bwrap', 'unshare'], places)
const MACHINES: readonly { readonly shell: Shell; readonly isolation: Isolation['kind'] }[] = [
  ...shells.map((shell) => ({ shell, isolation: shell.name === 'busybox' ? 'namespaces' : 'bubblewrap' }) as const),
  { shell: shellWithout(['bwrap'], places), isolation: 'namespaces' },
  { shell: bare, isolation: 'none' },
]

/** Places that run only the first test, since others cover the rest. */
const SEEN = ['bash', 'sh without bwrap']

let building: Building

afterEach(() => building.close())

const notes = () => building.events.flatMap((event) => (event.kind === 'note' ? [event.message] : []))
const layout = () => storeLayout(building.store.reference.directory)

describe.runIf(canPose).each(MACHINES)(
  'on a machine with $shell.name and isolation $isolation',
  ({ shell, isolation }) => {
    beforeEach(async () => {
      building = await openBuilding(shell)
    })

    test('buildNatively() and fetchNatively() make an output valid on both sides, as the coordinator would', async () => {
      const { store, there } = building
      const lib = build('lib', 'mkdir $out; echo lib >$out/file')
      const script = `
      mkdir -m 0700 $out; cd $out; echo "$lib $out" >a; chmod 0600 a; echo >b; chmod 4755 b; ln a c; mkdir -m 0500 d
      ln -s nowhere e; echo >'é x'; cp $parametersFile p; mkdir -p ${'long/'.repeat(30)}; echo >${'long/'.repeat(30)}x`
      const parameters = `{"a":"$b '\\\\ é"}${'x'.repeat(20_000)}\n`
      const [input] = await building.instantiate(lib)
      await store.realise([input!], { report: () => {}, signal: new AbortController().signal })
      const [pkg] = await building.instantiate(build('web', script, { inputs: new Map([['lib', lib]]), parameters }))
      building.send()
      expect(await building.build([pkg!])).toEqual([{ kind: 'built' }])
      expect(notes()).toHaveLength(isolation === 'bubblewrap' ? 0 : 1)
      expect(building.standsThere(pkg!)).toEqual([false, false])
      expect(building.leftovers()).toEqual([])
      expect(await building.fetch([pkg!])).toMatchObject({ paths: 1 })
      const [registration] = await store.registrations([pkg!.outPath])
      const references = [input!.outPath, pkg!.outPath].toSorted()
      expect(registration).toMatchObject({ references, deriver: pkg!.derivation })
      const record = there(join(layout().registrations, `${basename(pkg!.outPath)}.json`))
      expect(readFileSync(record, 'utf8')).toBe(encodeRegistration(registration!))
      expect(listing(there(pkg!.outPath))).toEqual(listing(pkg!.outPath))
      const time = timeOfContent(registration!.contentHash)
      expect(listing(pkg!.outPath).slice(0, 3)).toEqual([`/ 555 4 ${time}`, `/a 444 1 ${time}`, `/b 555 1 ${time}`])
      expect(readFileSync(join(pkg!.outPath, 'p'), 'utf8')).toBe(parameters)
      expect(readdirSync(there(layout().incoming))).toEqual([])
      expect(await building.fetch([pkg!])).toEqual({ paths: 0, bytes: 0 })
    })

    if (shells.includes(shell)) testCalls(shell, 'native-build')

    // Shells do not differ in the rest, so it runs in one of them with each kind of isolation.
    if (!isThorough && !isExhaustive && SEEN.includes(shell.name)) return

    test('buildNatively() builds in the environment that the coordinator builds in', async () => {
      const script =
        'mkdir $out; ls -A >$out/files; env | grep -v "^_=" | sort >$out/env; umask >$out/umask; pwd >>$out/env'
      const env = new Map([
        ['TEXT', '${kept} "as" it\nis\n'],
        ['EMPTY', ''],
      ])
      const packages = await building.instantiate(build('web', script, { env }))
      building.send()
      expect(await building.build(packages)).toEqual([{ kind: 'built' }])
      await building.fetch(packages)
      const seen = () =>
        ['files', 'env', 'umask'].map((name) =>
          readFileSync(join(packages[0]!.outPath, name), 'utf8').replaceAll(/\/[^\n]*incoming\/[^/\n]*/g, 'WORKSPACE'),
        )
      const seenThere = seen()
      removeTree(packages[0]!.outPath)
      const here = {
        none: { kind: 'none' },
        bubblewrap: program('bubblewrap', 'bwrap'),
        namespaces: program('namespaces', 'unshare'),
      }
      const store = await openNativeStore({
        ...building.store.reference,
        environment: ENVIRONMENT,
        isolation: here[isolation] as Isolation,
      })
      await store.realise(packages, { report: () => {}, signal: new AbortController().signal })
      expect(seenThere).toEqual(seen())
    })

    test.runIf(isolation === 'bubblewrap')('buildNatively() shows a build nothing but what it needs', async () => {
      const secret = mkdtempSync('/opt/davit-secret-')
      chmodSync(secret, 0o755)
      writeFileSync(join(secret, 'key'), 'PRIVATE KEY', { mode: 0o644 })
      const script = `
        mkdir $out; mark=$HOME/mark; touch $mark
        { cat ${secret}/key /etc/shadow; ls /root /home /run /srv /opt; touch /x /dev/x /etc/x && echo wrote; } >$out/said 2>&1 || :
        { ls -A / | tr '\\n' ' '; cat /proc/self/oom_score_adj; } >$out/seen; unshare -Ur true 2>/dev/null && echo fenced >>$out/said
        { cat /proc/net/unix | tail -n +2; } >>$out/said; cp -r /proc/self/environ $out/environment`
      const packages = await building.instantiate(build('web', script))
      building.send()
      try {
        expect(await building.build(packages)).toEqual([{ kind: 'built' }])
        await building.fetch(packages)
        const read = (name: string) => readFileSync(join(packages[0]!.outPath, name), 'utf8')
        expect(read('said')).not.toMatch(/PRIVATE|root:|wrote|fenced|@/)
        expect(read('seen')).toMatch(/^(bin |lib\w* |sbin |usr |dev |etc |proc |tmp |var )+1000$/m)
        expect(read('environment')).not.toContain('DAVIT_STATE_DIR')
      } finally {
        removeTree(secret)
      }
    })

    test.runIf(isolation === 'bubblewrap')(
      'buildNatively() counts all that a build writes, and gives it an account',
      async () => {
        const mark = uniqueSleep()
        const limit = { sizeLimitBytes: 10_000_000 }
        const fill = (place: string) => `for n in 1 2 3; do head -c 4000000 /dev/zero >${place}/fill$n; done; ${mark}`
        const packages = await building.instantiate(
          build('tmp', fill('/tmp'), limit),
          build('shm', fill('/dev/shm'), limit),
        )
        building.send()
        const work = building.build(packages)
        await until(() => expect(accountsOf(mark).every((uid) => uid >= 2_100_000_000)).toBe(true))
        const reason = expect.stringContaining('wrote more than 10 MB and was stopped')
        expect(await work).toEqual([expect.objectContaining({ reason }), expect.objectContaining({ reason })])
        expect([running(mark), building.leftovers()]).toEqual([false, []])
      },
    )

    test('buildNatively() runs builds from fetched stacks only in bubblewrap, or if they are trusted', async () => {
      const packages = await building.instantiate(build('strange', 'echo >$out', { isFetched: true }))
      building.send()
      const outcome = await building.build(packages).catch((error: DavitError) => error.code)
      expect(outcome).toEqual(isolation === 'bubblewrap' ? [{ kind: 'built' }] : 'untrusted-builds')
      expect(building.leftovers()).toEqual([])
    })

    test('buildNatively() reports why builds fail, with the ends of their logs, and makes the others', async () => {
      const packages = await building.instantiate(
        build('failing', 'seq 1000; echo out of wood >&2; exit 3'),
        build('empty', 'echo never mind'),
        build('fine', 'echo >$out'),
        build('unusual', 'mkdir $out; mkfifo $out/pipe'),
        build('misspelt', 'echo "$sources" >$out', { env: new Map([['source', '']]) }),
        build('slow', `echo going; ${uniqueSleep()}`, { timeLimitSeconds: 2 }),
      )
      building.send()
      expect(await building.build(packages)).toEqual([
        {
          kind: 'failed',
          reason: 'ended with exit status 3',
          logEnd: expect.stringMatching(/^977\n[^]*\n1000\nout of wood$/),
        },
        { kind: 'failed', reason: 'ended without making $out', logEnd: 'never mind' },
        { kind: 'built' },
        { kind: 'failed', reason: `made an unusual file: '${packages[3]!.outPath}/pipe' is a named pipe`, logEnd: '' },
        {
          kind: 'failed',
          reason:
            "ended with exit status 2: line 1 of its script uses '$sources', which is not set: did you mean '$source'?",
          logEnd: expect.stringContaining('sources'),
        },
        { kind: 'failed', reason: 'took longer than 2 seconds and was stopped', logEnd: 'going' },
      ])
      const log = building.there(join(layout().logs, `${basename(packages[0]!.outPath)}.log`))
      expect(readFileSync(log, 'utf8')).toMatch(/^1\n2\n/)
      expect(building.leftovers()).toEqual([])
      expect(packages.flatMap(building.standsThere)).not.toContain(true)
    })

    test('buildNatively() stops builds that write too much, wherever they write', async () => {
      const endless = (place: string) =>
        `mkdir -p "${place}"; i=0; while :; do i=$((i + 1)); head -c 1000000 /dev/zero >"${place}/$i"; sleep 0.02; done`
      const limit = { sizeLimitBytes: 20_000_000 }
      const packages = await building.instantiate(
        build('output', endless('$out'), limit),
        build('directory', endless('$HOME/deep'), limit),
        build('file', 'yes >$out', limit),
        build('hole', 'truncate -s 1T $out', limit),
        build('quick', 'mkdir $out; for i in 1 2 3; do head -c 9000000 /dev/zero >$out/$i; done', limit),
        build('fine', 'head -c 9000000 /dev/zero >$out', limit),
      )
      building.send()
      const reason =
        "wrote more than 20 MB and was stopped: 'sizeLimit' in its package, or DAVIT_SIZE_LIMIT, allows more"
      const large = { kind: 'failed', reason, logEnd: expect.any(String) }
      expect(await building.build(packages)).toEqual([large, large, large, large, large, { kind: 'built' }])
      expect(building.leftovers()).toEqual([])
      expect(packages.flatMap(building.standsThere)).not.toContain(true)
    })

    test('buildNatively() ends processes that a build leaves running', async () => {
      const mark = uniqueSleep()
      // Without namespaces, a process that leaves its group survives.
      const packages = await building.instantiate(
        build('web', `(${isolation === 'none' ? '' : 'setsid'} ${mark} &); echo >$out`),
      )
      building.send()
      expect(await building.build(packages)).toEqual([{ kind: 'built' }])
      expect(running(mark)).toBe(false)
    })

    const losses = isolation === 'namespaces' ? [] : ['loses its shell', 'loses what reads its requests']
    test.each(['is interrupted', ...losses])('buildNatively() leaves nothing when it %s', async (how) => {
      const mark = uniqueSleep()
      const packages = await building.instantiate(
        build('one', `mkdir $out; (${isolation === 'none' ? '' : 'setsid'} ${mark} &); ${mark}`),
        build('other', `mkdir $out; ${mark}`),
      )
      building.send()
      const stop = new AbortController()
      const work = building.build(packages, { signal: stop.signal })
      work.catch(() => {})
      await until(() => expect([running(mark), building.leftovers().length]).toEqual([true, 4]))
      const shellOfChannel = building.connection.pids.at(-1) ?? 0
      if (how === 'is interrupted') stop.abort(new Error('stop now'))
      else process.kill(how === 'loses its shell' ? shellOfChannel : firstChildOf(shellOfChannel), 'SIGKILL')
      await expect(work).rejects.toThrow(how === 'is interrupted' ? 'stop now' : /ended/)
      await until(() => expect([running(mark), building.leftovers()]).toEqual([false, []]))
      expect(packages.flatMap(building.standsThere)).not.toContain(true)
    })
  },
)

describe.runIf(canPose)('on a machine', () => {
  let outside: string

  beforeEach(async () => {
    // Builds that are not isolated can be observed.
    building = await openBuilding(bare)
    outside = join(building.directory, 'outside')
    mkdirSync(outside)
  })

  const builds = () => readFileSync(join(outside, 'builds'), 'utf8')
  const counted = () => build('web', `echo built >>${outside}/builds; echo >$out`)

  test('buildNatively() builds as many at a time as there are cores', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const script = (name: string) =>
      `: >${outside}/${name}; tries=0
       until ls ${outside} | wc -l >$out; [ "$(cat $out)" -ge 2 ] || [ $tries = 250 ]; do sleep 0.02; tries=$((tries + 1)); done
       sleep 0.1; rm ${outside}/${name}`
    const packages = await building.instantiate(...names.slice(0, 4).map((name) => build(name, script(name))))
    building.send()
    await building.build(packages, { cores: 2 })
    await building.fetch(packages)
    const together = packages.map(({ outPath }) => Number(readFileSync(outPath, 'utf8')))
    expect(together.slice(0, 2)).toEqual([2, 2])
    expect(Math.max(...together)).toBe(2)
  })

  test('buildNatively() waits for another coordinator that builds the same', async () => {
    const script = `echo built >>${outside}/builds; until [ -e ${outside}/go ]; do sleep 0.02; done; echo >$out`
    const packages = await building.instantiate(build('web', script))
    building.send()
    const machine = await building.openAnother()
    const first = building.build(packages)
    await until(() => expect(existsSync(join(outside, 'builds'))).toBe(true))
    const second = building.build(packages, { machine })
    await until(() => expect(notes()).toContain("waiting for another process that is building 'web' on 'other'"))
    writeFileSync(join(outside, 'go'), '')
    expect([await first, await second]).toEqual([[{ kind: 'built' }], [{ kind: 'built' }]])
    expect(builds()).toBe('built\n')
    expect(building.leftovers()).toEqual([])
  })

  test('buildNatively() continues after an interruption, and does not repeat finished builds', async () => {
    const packages = await building.instantiate(counted())
    building.send()
    await building.build(packages)
    await building.build(packages)
    expect([builds(), building.waiting()]).toEqual(['built\n', [basename(packages[0]!.outPath)]])
    const paths = join(building.there(layout().incoming), readdirSync(building.there(layout().incoming))[0]!, 'paths')
    const aDayAgo = Date.now() / 1000 - 25 * 3600
    utimesSync(join(paths, building.waiting()[0]!), aDayAgo, aDayAgo)
    await building.build(packages)
    expect(builds()).toBe('built\nbuilt\n')
    // After a reboot, an output that was not synced may be damaged.
    renameSync(dirname(paths), join(building.there(layout().incoming), 'built.another-boot'))
    await building.build(packages)
    expect(builds()).toBe('built\nbuilt\nbuilt\n')
    expect(building.waiting()).toHaveLength(1)
  })

  test('buildNatively() removes files of a dead channel', async () => {
    const [pkg] = await building.instantiate(counted())
    building.send()
    const name = `build.${basename(pkg!.outPath).slice(0, 32)}`
    const incoming = building.there(layout().incoming)
    for (const path of [join(incoming, name, 'store'), join(building.there(pkg!.outPath), 'rubbish')]) {
      mkdirSync(path, { recursive: true })
      chmodSync(path, 0o500)
    }
    symlinkSync('999999:1:gone', join(incoming, `${name}.lock`))
    const mark = uniqueSleep()
    const { pid = 0 } = spawn('sleep', mark.split(' ').slice(1), { detached: true, stdio: 'ignore' })
    writeFileSync(join(incoming, name, 'builder'), `${ownerOf(pid)}\n`)
    expect(await building.build([pkg!])).toEqual([{ kind: 'built' }])
    expect([building.leftovers(), building.standsThere(pkg!)]).toEqual([[], [false, false]])
    expect(running(mark)).toBe(false)
  })

  test('buildNatively() waits for a silent build, and not for a script that was stopped', async () => {
    const machine = await building.openAnother({ answerSeconds: 3 })
    const mark = uniqueSleep()
    const packages = await building.instantiate(
      build('silent', `until [ -e ${outside}/go ]; do sleep 0.05; done; echo >$out`),
      build('endless', mark),
    )
    building.send()
    const silent = building.build(packages.slice(0, 1), { machine })
    setTimeout(() => writeFileSync(join(outside, 'go'), ''), 4000)
    expect(await silent).toEqual([{ kind: 'built' }])
    const endless = building.build(packages.slice(1), { machine })
    endless.catch(() => {})
    await until(() => expect(running(mark)).toBe(true))
    const reader = firstChildOf(building.connection.pids.at(-1) ?? 0)
    process.kill(reader, 'SIGSTOP')
    await expect(endless).rejects.toMatchObject({ exitStatus: 69, message: "'other' has not answered for 3 s" })
    expect([running(mark), building.leftovers()]).toEqual([false, []])
    process.kill(reader, 'SIGKILL')
  })

  test('fetchNatively() does not wait for a script that was stopped', async () => {
    const machine = await building.openAnother({ answerSeconds: 2 })
    const [pkg] = await building.instantiate(counted())
    building.send()
    await building.build([pkg!], { machine })
    const { run } = building.connection
    let stopped = 0
    building.connection.run = async (script) => {
      const channel = await run(script)
      stopped = building.connection.pids.at(-1) ?? 0
      process.kill(stopped, 'SIGSTOP')
      return channel
    }
    await expect(building.fetch([pkg!], { machine })).rejects.toMatchObject({ code: 'connection-lost', exitStatus: 69 })
    process.kill(stopped, 'SIGKILL')
  })

  test('buildNatively() reports that it cannot write there', async () => {
    const packages = await building.instantiate(counted())
    building.send()
    removeTree(building.there(layout().incoming))
    writeFileSync(building.there(layout().incoming), 'in the way')
    await expect(building.build(packages)).rejects.toMatchObject({
      code: 'build-lost',
      message: expect.stringMatching(/^cannot build on 'other': cannot create '.*incoming'/),
    })
  })
})

function program(kind: Isolation['kind'], name: string) {
  return { kind, program: `/usr/bin/${name}` }
}

/** Returns numbers of the accounts of processes with exactly this command line; there has to be one. */
function accountsOf(command: string): readonly number[] {
  const { stdout } = spawnSync('ps', ['ax', '-o', 'uid=,args='], { encoding: 'utf8' })
  const lines = stdout.split('\n').map((line) => /^ *(\d+) (.*)$/.exec(line) ?? [])
  const found = lines.filter(([, , args]) => args === command).map(([, uid]) => Number(uid))
  return found.length === 0 ? [0] : found
}

/** Returns the owner of a claim as `runtime/claim.sh` writes it. */
function ownerOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return `${pid}:${startTime}:${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
}

function firstChildOf(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return Number(stdout.trim().split(/\s+/)[0])
}

/** Returns permissions, links and times of all files. */
function listing(path: string): readonly string[] {
  const { stdout } = spawnSync('find', [path, '-printf', '/%P %m %n %T@\\n'], { encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  return lines.map((line) => line.replace('.0000000000', '')).toSorted()
}
