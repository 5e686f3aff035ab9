import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import type { ReportEvent } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import { removeTree } from '@davit/files'
import { environment } from '@davit/process'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Isolation, probeIsolation } from '@davit/isolation'
import { storeLayout } from '../src/store.ts'
import { withStoreLock } from '../src/native/store-lock.ts'
import { build, HERE, wantedBy } from './package-specs.ts'
import {
  failureOf,
  instantiated,
  leftovers,
  quietly,
  realised,
  running,
  temporaryStore,
  writeTree,
} from './temporary-store.ts'

const best = await probeIsolation(environment())
const isolations: readonly Isolation[] = [
  { kind: 'bubblewrap', program: '/usr/bin/bwrap' },
  { kind: 'namespaces', program: '/usr/bin/unshare' },
  { kind: 'none' },
]
/** Kinds of isolation that this machine allows: as root, where the best is possible, so are the others. */
const possible = isolations.slice(isolations.findIndex(({ kind }) => kind === best.kind)).filter(({ kind }) => {
  return kind !== 'namespaces' || best.kind === kind || spawnSync('unshare', ['--net', 'true']).status === 0
})

describe.each(possible)('with isolation $kind', (isolation) => {
  test('realise() builds in an empty directory and a clean environment', async () => {
    const store = await temporaryStore(isolation)
    const [pkg] = await realised(
      store,
      build(
        'web',
        'mkdir $out; ls -A >$out/files; env >$out/env; [ "$HOME" = "$PWD" ]; [ "$TMPDIR" = "$PWD" ]; : >here',
        {
          env: { TEXT: '${kept} "as" it\nis' },
          sources: { app: writeTree({ file: 'x' }) },
        },
      ),
    )
    expect(readFileSync(join(pkg!.outPath, 'files'), 'utf8')).toBe('')
    const names = readFileSync(join(pkg!.outPath, 'env'), 'utf8')
      .match(/^\w+(?==)/gm)
      ?.toSorted()
    const expected = ['DAVIT_CORES', 'DAVIT_SYSTEM', 'HOME', 'LC_ALL', 'PATH', 'PWD', 'SOURCE_DATE_EPOCH', 'TEXT']
    expect(names?.filter((name) => !/^(SHLVL|OLDPWD|_)$/.test(name))).toStrictEqual([
      ...expected,
      'TMPDIR',
      'app',
      'out',
    ])
    expect(readFileSync(join(pkg!.outPath, 'env'), 'utf8')).toContain('TEXT=${kept} "as" it\nis\n')
    expect(leftovers(store)).toStrictEqual([])
  })

  test('realise() builds inputs first, with their programs on PATH', async () => {
    const store = await temporaryStore(isolation)
    const tool = build(
      'tool',
      'mkdir -p $out/bin; printf "#!/bin/sh\\necho made\\n" >$out/bin/davit-maker; chmod +x $out/bin/*',
    )
    const [pkg] = await realised(store, build('web', 'davit-maker >$out; echo $tool >>$out', { inputs: { tool } }))
    const [input] = await instantiated(store, tool)
    expect(readFileSync(pkg!.outPath, 'utf8')).toBe(`made\n${input!.outPath}\n`)
    expect(await store.closure([pkg!.outPath])).toStrictEqual([input!.outPath, pkg!.outPath])
  })

  test('realise() has no network', async () => {
    if (isolation.kind === 'none') return
    const store = await temporaryStore(isolation)
    const script = 'sed -n "s/^ *\\([a-z0-9]*\\):.*/\\1/p" /proc/net/dev | sort >$out'
    const [without, withIt] = await realised(store, build('web', script), build('web', script, { network: true }))
    const interfaces = (path: string) => readFileSync(path, 'utf8').trim().split('\n')
    expect(interfaces(without!.outPath)).toContain('lo')
    expect(interfaces(without!.outPath)).not.toContain('eth0')
    expect(interfaces(withIt!.outPath).length).toBeGreaterThanOrEqual(interfaces(without!.outPath).length)
    expect(await connects(isolation, false)).toBe(false)
    expect(await connects(isolation, true)).toBe(true)
  })

  test('realise() ends what a build leaves running', async () => {
    const store = await temporaryStore(isolation)
    const mark = uniqueSleep()
    await realised(store, build('web', `${mark} & echo >$out`))
    expect(running(mark)).toBe(false)
  })

  test('realise() stops a build at its time limit, with everything that it started', async () => {
    const store = await temporaryStore(isolation)
    const mark = uniqueSleep()
    // Without namespaces, a process that leaves its group gets away.
    const escape = isolation.kind === 'none' ? '' : 'setsid'
    const script = `echo going; (${escape} ${mark} &) ; ${mark}; echo no >$out`
    const message = await failureOf(realised(store, build('slow', script, { timeLimitSeconds: 2 })))
    expect(message).toContain("the build of 'slow' took longer than 2 seconds and was stopped\n  | going (")
    expect(running(mark)).toBe(false)
    expect(leftovers(store)).toStrictEqual([])
  })

  test('realise() is stopped by its signal, and registers nothing', async () => {
    const store = await temporaryStore(isolation)
    const stop = new AbortController()
    const mark = uniqueSleep()
    const packages = await instantiated(
      store,
      build('slow', `mkdir $out; ${mark}`),
      build('other', `mkdir $out; ${mark}`),
    )
    const work = store.realise(packages, { ...quietly(), maxJobs: 1, signal: stop.signal })
    await until(() => running(mark))
    stop.abort(new Error('stop now'))
    await expect(work).rejects.toThrow('stop now')
    expect(running(mark)).toBe(false)
    expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toHaveLength(2)
    expect(packages.map(({ outPath }) => existsSync(outPath))).toStrictEqual([false, false])
    expect(leftovers(store)).toStrictEqual([])
  })

  test('realise() replaces what a killed build left in the place of its output', async () => {
    const store = await temporaryStore(isolation)
    const spec = build('web', 'mkdir $out; echo new >$out/file')
    const [pkg] = await instantiated(store, spec)
    writeTree({ 'sub/rubbish': '' }, pkg!.outPath)
    spawnSync('chmod', ['-R', 'a-w', pkg!.outPath])
    await store.realise([pkg!], quietly())
    expect(readdirSync(pkg!.outPath)).toStrictEqual(['file'])
  })

  test('realise() gives outputs the permissions and times of packages', async () => {
    const store = await temporaryStore(isolation)
    const script =
      'mkdir -m 0700 $out; cd $out; echo x >a; chmod 0600 a; echo >b; chmod 4755 b; ln a c; mkdir -m 0500 d; ln -s nowhere e'
    const [pkg] = await realised(store, build('web', script))
    const [registration] = await store.registrations([pkg!.outPath])
    const time = 1_000_000_000 + Number.parseInt(registration!.contentHash.slice('sha256:'.length).slice(0, 7), 16)
    const listing = spawnSync('find', [pkg!.outPath, '-printf', '/%P %m %n %T@\\n'], { encoding: 'utf8' }).stdout
    expect(
      listing
        .trim()
        .split('\n')
        .map((line) => line.replace('.0000000000', ''))
        .toSorted(),
    ).toStrictEqual(
      ['/ 555 3', '/a 444 1', '/b 555 1', '/c 444 1', '/d 555 2', '/e 777 1'].map((line) => `${line} ${time}`),
    )
  })

  async function connects(kind: Isolation, network: boolean): Promise<boolean> {
    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await until(() => server.listening)
    const { port } = server.address() as AddressInfo
    const store = await temporaryStore(kind)
    const script = `busybox wget -q -O - http://127.0.0.1:${port}/ >$out || echo no >$out`
    const [pkg] = await realised(store, build('client', script, { network }))
    server.close()
    return readFileSync(pkg!.outPath, 'utf8') === 'hello'
  }
})

test('realise() shows the end of the log of each build that fails, and makes the others', async () => {
  const store = await temporaryStore()
  const events: ReportEvent[] = []
  const lib = build('lib', 'seq 1000; echo out of wood >&2; exit 3')
  const packages = await instantiated(
    store,
    build('web', 'echo >$out', { inputs: { lib } }),
    build('other', 'echo never mind'),
    build('fine', 'echo >$out'),
  )
  const message = await failureOf(
    store.realise(
      packages,
      quietly((event) => events.push(event)),
    ),
  )
  const logs = join(store.reference.directory, '.davit/logs')
  const lines = message.split('\n')
  expect(lines[0]).toBe('cannot build 2 of 4 packages')
  expect(lines[1]).toBe("the build of 'lib' ended with exit status 3")
  expect(lines.slice(-4)).toStrictEqual([
    '  | 1000',
    expect.stringMatching(new RegExp(`^  \\| out of wood \\(the whole log is in '${logs}/.*-lib.log'\\)$`)),
    "the build of 'other' ended without making $out",
    expect.stringMatching(/^ {2}\| never mind \(/),
  ])
  expect(
    readFileSync(
      join(
        logs,
        readdirSync(logs).find((name) => name.endsWith('-lib.log'))!,
      ),
      'utf8',
    ),
  ).toMatch(/^1\n2\n/)
  expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toHaveLength(2)
  expect(events.filter(({ kind }) => kind === 'failed')).toHaveLength(2)
  expect(events.find((event) => event.kind === 'finished')).toMatchObject({ step: 'build fine' })
})

test('realise() finds references in contents, names and links, and to itself', async () => {
  const store = await temporaryStore()
  const lib = (name: string) => build(name, 'mkdir $out; echo $NAME >$out/file', { env: { NAME: name } })
  const libs = {
    content: lib('content'),
    link: lib('link'),
    name: lib('name'),
    itself: lib('itself'),
    unused: lib('unused'),
  }
  const [pkg] = await realised(
    store,
    build(
      'web',
      'mkdir $out; echo "$content$out" >$out/f; ln -s $link/file $out/l; : >$out/${name##*/}; ln -s $out/f $out/s',
      {
        inputs: libs,
        sources: { app: writeTree({ file: 'x' }) },
      },
    ),
  )
  const [registration] = await store.registrations([pkg!.outPath])
  expect(registration!.references.map((path) => path.slice(path.lastIndexOf('-') + 1)).toSorted()).toStrictEqual([
    'content',
    'link',
    'name',
    'web',
  ])
  expect(registration).toMatchObject({
    deriver: pkg!.derivation,
    system: HERE,
    contentHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  })
  expect(await store.closure([pkg!.outPath])).toHaveLength(4)
})

test.runIf(best.kind === 'bubblewrap')(
  'realise() shows a build only what it may use, and lets it change nothing',
  async () => {
    const store = await temporaryStore()
    const { directory } = store.reference
    const other = build('other', 'echo secret >$out')
    const [otherPackage] = await realised(store, other)
    // Sources of users are in directories that builds do not see, wherever those for temporary files are.
    const home = mkdtempSync('/var/tmp/davit-source-')
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const app = writeTree({ file: 'x' }, join(home, 'app'))
    const script = `
    mkdir $out
    echo changed 2>>$out/log >$app/file || echo refused >>$out/results
    rm -rf $app 2>>$out/log || echo refused >>$out/results
    [ -e ${otherPackage!.outPath} ] || echo hidden >>$out/results
    [ -e ${directory}/.davit ] || echo hidden >>$out/results
    [ -e ${app} ] || echo hidden >>$out/results
    echo aside >${directory}/intruder
    { echo x >/etc/davit-test; } 2>>$out/log || echo refused >>$out/results
    [ "$(id -u)" != 0 ] && echo unprivileged >>$out/results`
    const [pkg] = await realised(store, build('web', script, { sources: { app } }))
    expect(readFileSync(join(pkg!.outPath, 'results'), 'utf8').trim().split('\n')).toStrictEqual([
      'refused',
      'refused',
      'hidden',
      'hidden',
      'hidden',
      'refused',
      'unprivileged',
    ])
    expect(existsSync(join(directory, 'intruder'))).toBe(false)
  },
)

test('realise() builds with the sh of the machine, stops at the first error, and leaves the script alone', async () => {
  const store = await temporaryStore()
  const script = 'printf %s "${nothing:-$(printf %s \\\\n)}" >$out # ${not.touched} $${either}'
  const [pkg] = await realised(store, build('web', script))
  expect(readFileSync(pkg!.outPath, 'utf8')).toBe('\\n')
  expect(JSON.parse(readFileSync(pkg!.derivation!, 'utf8'))).toMatchObject({ script })
  expect(await failureOf(realised(store, build('web', 'false; echo >$out')))).toContain('ended with exit status 1')
})

test('realise() gives the parameters to a build that asks for them', async () => {
  const store = await temporaryStore()
  const [pkg] = await realised(store, build('web', 'cp $parametersFile $out', { parameters: '{"a":"$b"}' }))
  expect(readFileSync(pkg!.outPath, 'utf8')).toBe('{"a":"$b"}')
})

test('realise() refuses an output with unusual files', async () => {
  const store = await temporaryStore()
  const message = await failureOf(realised(store, build('web', 'mkdir $out; mkfifo $out/pipe')))
  expect(message).toMatch(/the build of 'web' made an unusual file: '.*\/pipe' is a named pipe/)
})

test('realise() makes an output that is a file or a link', async () => {
  const store = await temporaryStore()
  const [file, link] = await realised(store, build('file', 'echo >$out'), build('link', 'ln -s nowhere $out'))
  expect(lstatSync(file!.outPath).isFile()).toBe(true)
  expect(lstatSync(link!.outPath).isSymbolicLink()).toBe(true)
  const [again] = await realised(
    store,
    build('again', '[ -e $file ] && ln -s $file/. $out', { inputs: { file: build('file', 'echo >$out') } }),
  )
  expect(await store.closure([again!.outPath])).toStrictEqual([file!.outPath, again!.outPath])
})

test('realise() refuses packages for another platform before it builds any', async () => {
  const store = await temporaryStore()
  const packages = await store.instantiate([
    wantedBy('web', build('web', 'echo >$out')),
    wantedBy('web', build('foreign', 'echo >$out'), 'm68k-linux' as System),
  ])
  expect(await failureOf(store.realise(packages, quietly()))).toContain(
    `'foreign' must be built on m68k-linux; this machine is ${HERE}`,
  )
  await expect(store.realise(packages, quietly())).rejects.toMatchObject({
    hint: expect.stringContaining('davit-env --build-on-targets'),
  })
  expect(await store.invalidPaths([packages[0]!.outPath])).toHaveLength(1)
})

test('realise() reports what to do when a source has vanished from the store', async () => {
  const store = await temporaryStore()
  const [source] = await instantiated(store, { kind: 'source', path: writeTree({ file: 'x' }) })
  removeTree(source!.outPath)
  const again = await temporaryStore(undefined, store.reference.directory)
  await expect(again.realise([source!], quietly())).rejects.toMatchObject({ code: 'invalid-path', exitStatus: 66 })
})

test('realise() builds in parallel, no more than it may', async () => {
  const store = await temporaryStore()
  const meeting = scratchDirectory()
  const events: string[] = []
  const packages = await instantiated(
    store,
    ...['a', 'b', 'c', 'd'].map((name) => build(name, 'sleep 0.1; echo >$out')),
  )
  let [now, most] = [0, 0]
  const report = (event: ReportEvent) => {
    if (event.kind === 'started') now += 1
    if (event.kind === 'finished') now -= 1
    most = Math.max(most, now)
    events.push(event.kind)
  }
  await store.realise(packages, { ...quietly(report), maxJobs: 2 })
  expect(most).toBe(2)
  expect(events.filter((kind) => kind === 'finished')).toHaveLength(4)
  writeFileSync(join(meeting, 'done'), '')
})

test('realise() waits for another process that builds the same, until it is interrupted', async () => {
  const store = await temporaryStore()
  const [pkg] = await instantiated(store, build('web', 'echo >$out'))
  const layout = storeLayout(store.reference.directory)
  const stop = new AbortController()
  const notes: ReportEvent[] = []
  await withStoreLock(basename(pkg!.outPath), { layout, environment: environment() }, async () => {
    const report = (event: ReportEvent) => void (event.kind === 'note' && notes.push(event))
    const work = store.realise([pkg!], { maxJobs: 1, report, signal: stop.signal })
    await until(() => notes.length > 0)
    stop.abort(new Error('stop now'))
    await expect(work).rejects.toThrow('stop now')
  })
  expect(notes).toMatchObject([{ message: "waiting for another process that is building 'web'" }])
  expect(leftovers(store)).toStrictEqual([])
  await store.realise([pkg!], quietly())
  expect(await store.invalidPaths([pkg!.outPath])).toStrictEqual([])
})

test('realise() does nothing when everything is valid', async () => {
  const store = await temporaryStore()
  const packages = await realised(store, build('web', 'echo >$out'))
  const events: ReportEvent[] = []
  const again = await temporaryStore(undefined, store.reference.directory)
  await again.realise(
    packages,
    quietly((event) => events.push(event)),
  )
  expect(events).toStrictEqual([])
  expect(basename(packages[0]!.outPath)).toMatch(/-web$/)
})

function uniqueSleep(): string {
  return `sleep 60.${Math.floor(Math.random() * 1e9)}`
}
