import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportEvent } from '@davit/diagnostics'
import { environment } from '@davit/process'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { probeIsolation } from '@davit/isolation'
import { build } from './package-specs.ts'
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

test.each([
  ['directories that nobody may write to', 'mkdir -p $out/a/b here/c; : >$out/a/b/f; chmod -R a-w $out here'],
  ['directories that nobody may read', 'mkdir -p $out/a here/b; : >here/b/f; chmod 0 here/b $out/a'],
  ['a path that is longer than paths may be', deep('here')],
  ['names that are no text', `touch "$(printf 'bad\\377name')" "$(printf 'two\\nlines')" ./-rf`],
  ['a pipe, and a link to itself', 'mkfifo pipe; ln -s loop loop; mkdir $out; ln -s $out $out/itself'],
])('a build that fails and leaves %s leaves nothing', async (_, script) => {
  const store = await temporaryStore()
  const [pkg] = await instantiated(store, build('bad', `${script}; cd /; exit 9`))
  expect(await failureOf(store.realise([pkg!], quietly()))).toContain("the build of 'bad' ended with exit status 9")
  expect([leftovers(store), existsSync(pkg!.outPath)]).toEqual([[], false])
  expect(await store.invalidPaths([pkg!.outPath])).toEqual([pkg!.outPath])
})

test.each([
  ['a path that is longer than paths may be', deep('$out'), /made an unusual file: a path in '.*' has \d+ characters/],
  ['a name that is no text', `mkdir $out; : >"$out/$(printf 'bad\\377name')"`, /is not text in UTF-8/],
])('an output with %s is refused, and leaves nothing', async (_, script, expected) => {
  const store = await temporaryStore()
  const [pkg] = await instantiated(store, build('bad', script))
  expect(await failureOf(store.realise([pkg!], quietly()))).toMatch(expected)
  expect([leftovers(store), existsSync(pkg!.outPath)]).toEqual([[], false])
})

test('an output may contain links to foreign files, which are left alone', async () => {
  const store = await temporaryStore()
  const victim = writeTree({ 'sub/file': 'precious' })
  const before = listingOf(victim)
  await realised(
    store,
    build('link', `ln -s ${victim} $out`),
    build(
      'links',
      `mkdir $out; ln -s ${victim}/sub $out/d; ln -s ${victim}/sub/file $out/f; ln ${victim}/sub/file $out/h || :`,
    ),
  )
  expect(listingOf(victim)).toBe(before)
})

test('the output of a build is kept unchanged, and reported in bounded text, whatever it is', async () => {
  const store = await temporaryStore()
  const events: ReportEvent[] = []
  const script = `
    i=0; while [ $i -lt 256 ]; do printf "\\\\$(printf %03o $i)"; i=$((i+1)); done
    head -c 3000000 /dev/zero; printf '\\033[2J\\033]0;owned\\007\\377\\376'; exit 9`
  const [pkg] = await instantiated(store, build('loud', script))
  const message = await failureOf(
    store.realise(
      [pkg!],
      quietly((event) => events.push(event)),
    ),
  )
  expect(message.length).toBeLessThan(20_000)
  expect(message).toContain('owned')
  expect(events.find(({ kind }) => kind === 'failed')).toMatchObject({ message: 'ended with exit status 9' })
  const logs = join(store.reference.directory, '.davit/logs')
  const log = readFileSync(join(logs, readdirSync(logs)[0]!))
  expect(log.subarray(0, 256)).toEqual(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)))
  expect(log.subarray(256, 3_000_256).every((byte) => byte === 0)).toBe(true)
})

test.skipIf(best.kind === 'none').each([
  ['succeeds', 'echo >$out', 'built'],
  ['fails', 'exit 9', 'cannot build the package'],
])('nothing that a build has put into the background outlives it when it %s', async (_, end, expected) => {
  const store = await temporaryStore()
  const mark = `sleep 61.${Math.floor(Math.random() * 1e9)}`
  const daemon = `setsid sh -c 'setsid ${mark} </dev/null >/dev/null 2>&1 &' ; (trap '' TERM HUP; ${mark}) & `
  const [pkg] = await instantiated(store, build('daemon', `${daemon} ${end}`))
  const outcome = store.realise([pkg!], quietly()).then(
    () => 'built',
    (error: Error) => error.message,
  )
  expect(await outcome).toBe(expected)
  expect([running(mark), leftovers(store)]).toEqual([false, []])
})

test.runIf(best.kind === 'bubblewrap')(
  'a build that writes wherever it can changes nothing but its output',
  async () => {
    const store = await temporaryStore()
    const outside = scratchDirectory()
    const input = build('input', 'mkdir $out; echo kept >$out/file')
    const [made] = await realised(store, input)
    const before = [
      listingOf(made!.outPath),
      readdirSync(outside),
      readdirSync('/'),
      readdirSync('/tmp').includes('davit-hostile'),
    ]
    const places = [
      outside,
      '$input',
      store.reference.directory,
      '$(dirname $out)',
      '/tmp',
      '/etc',
      '/',
      '/dev/shm',
      '$HOME/..',
    ]
    const script = `
    for place in ${places.map((place) => `"${place}"`).join(' ')}; do
      echo x >"$place/davit-hostile"; mkdir "$place/davit-hostile.d"; rm -f "$place/file"; chmod 777 "$place"; mv "$place" "$place.gone"
    done 2>/dev/null || :
    mkdir -p $out`
    await realised(store, build('bad', script, { inputs: { input } }))
    expect([
      listingOf(made!.outPath),
      readdirSync(outside),
      readdirSync('/'),
      readdirSync('/tmp').includes('davit-hostile'),
    ]).toEqual(before)
    expect(readdirSync(store.reference.directory).filter((name) => name.includes('hostile'))).toEqual([])
    expect([existsSync('/dev/shm/davit-hostile'), existsSync('/etc/davit-hostile'), leftovers(store)]).toEqual([
      false,
      false,
      [],
    ])
  },
)

/** A directory with directories within directories, of over 7000 characters. */
function deep(name: string): string {
  return `part=$(printf '%0200d/' 1 2 3 4 5 6 7 8 9 10 11 12); mkdir -p "${name}.x/$part"
    for step in 1 2; do mkdir -p "${name}.y/$part"; mv "${name}.x" "${name}.y/$part/x"; mv "${name}.y" "${name}.x"; done
    mv "${name}.x" "${name}"`
}

/** Everything that can be observed about a tree, except times of last access. */
function listingOf(path: string): string {
  const { stdout } = spawnSync('find', [path, '-printf', '%p %m %u %n %T@ %s %l\\n'], { encoding: 'utf8' })
  expect(lstatSync(path).isDirectory()).toBe(true)
  return stdout.split('\n').toSorted().join('\n')
}
