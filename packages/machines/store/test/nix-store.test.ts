import { lstatSync, lutimesSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ReportEvent } from '@davit/diagnostics'
import type { PackageSpec, StorePath } from '@davit/documents'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { until } from '@davit/testing/wait'
import { describe, expect, test } from 'vitest'
import { instantiatedIn, expressionProgram, nixStore, realisedIn, selected } from './nix-packages.ts'
import { build, HERE, wantedBy } from './package-specs.ts'
import { failureOf, quietly, running, writeTree } from './temporary-store.ts'

const nix = privateNixOfFile({ settings: [`system = ${HERE}`] })
const store = await nixStore(nix)
const instantiated = (...specs: readonly PackageSpec[]) => instantiatedIn(store, ...specs)
const realised = (...specs: readonly PackageSpec[]) => realisedIn(store, ...specs)

const ABSENT = `/nix/store/${'0'.repeat(32)}-absent` as StorePath
const MODULE = { script: Buffer.from('#!/bin/sh\necho "$1"\n'), activities: ['activate', 'deactivate'] }
const ROOTS = nix.place('nix/var/nix/gcroots/davit')

describe.skipIf(noPrivateNix !== undefined)('instantiate()', () => {
  test('makes packages of models in other languages, as they are built natively', async () => {
    const tool = build(
      'tool',
      `mkdir -p $out/bin; printf '#!/bin/sh\necho "$@"\n' >$out/bin/tool; chmod +x $out/bin/tool`,
    )
    const src = writeTree({ 'a.txt': 'text' })
    const script = `mkdir $out; ls -A >$out/left; cp $src/a.txt $parametersFile $out/
      tool "$name, $system, $builder" >$out/env; echo $HOME $TMPDIR $DAVIT_SYSTEM $LC_ALL >$out/set`
    const web = build('web', script, {
      sources: { src },
      inputs: { tool },
      env: { name: `it's "a"\n$b \\`, system: 'mine', builder: '' },
      parameters: '{"host":"$x"}',
    })
    const [made, again] = await realised(web, web)
    expect(again).toStrictEqual(made)
    const shown = nix.shell('cd "$1"; cat a.txt *-parameters.json env set; ls -A left; cat left', made!.outPath)
    const place = join(tmpdir(), 'nix-build-web.drv-0')
    expect(shown).toBe(`text{"host":"$x"}it's "a"\n$b \\, mine, \n${place} ${place} ${HERE} C\nleft\n`)
    const references = nix.shell('nix-store -q --references "$1"', made!.derivation!)
    for (const name of ['-tool.drv', '-tree', '-parameters.json', '-web.sh']) expect(references).toContain(name)
  })

  test('copies sources as Nix does, each once', async () => {
    const path = writeTree({ 'bin/run': '#!/bin/sh\n' })
    const [one, two, named] = await instantiated(
      { kind: 'source', path },
      { kind: 'source', path: `${path}/bin/..` },
      { kind: 'source', path, name: 'mine' },
    )
    expect(one).toStrictEqual({ outPath: nix.shell('nix-store --add "$1"', path).trim() })
    expect(basename(two!.outPath)).toMatch(/-_\.\.$/)
    expect(named!.outPath).toMatch(/-mine$/)
    expect(await instantiated({ kind: 'present', path: one!.outPath })).toStrictEqual([one])
  })

  test('evaluates programs in the Nix language once for all that is selected', async () => {
    const program = expressionProgram(
      nix,
      `a = builtins.trace "evaluated" (make "a" "echo >$out" { }); b = make "b" "echo \${a} >$out" { };
       text = rec { outPath = root; root = builtins.toFile "text" "x"; };`,
    )
    const [b, text, a, c] = await instantiated(
      selected(program, 'b'),
      selected(program, 'text'),
      selected(program, 'a'),
      build('c', 'echo >$out'),
    )
    expect([a, b, c].map((made) => basename(made!.derivation!).slice(33))).toStrictEqual(['a.drv', 'b.drv', 'c.drv'])
    expect(text).toStrictEqual({ outPath: expect.stringMatching(/-text$/) })
    expect(nix.shell('nix-store -q --outputs "$1"', a!.derivation!).trim()).toBe(a!.outPath)
    expect(await store.outputs([a!.derivation!])).toStrictEqual(new Map([[a!.derivation!, [a!.outPath]]]))
  })

  test('reports all packages with problems, and who needs them', async () => {
    const requests = [
      wantedBy('web', build('web', '', { network: true })),
      wantedBy('db', { kind: 'source', path: '/no/such' }),
      wantedBy('dot', { kind: 'source', path: '/etc', name: '.dot' }),
      wantedBy('odd', build('odd', '', { env: { PATH: '' } })),
    ]
    const failure = await failureOf(store.instantiate(requests))
    expect(failure.split('\n')).toStrictEqual([
      'cannot use 4 packages',
      "service 'web': 'web' requests the network, which builds in a Nix store do not have (fetch what it needs with a fixed-output derivation in the Nix language, or use --store native)",
      "service 'db': cannot read the source '/no/such': no such file or directory (paths in models are relative to the file that names them)",
      "service 'dot': '.dot' is not a valid package name in a Nix store (choose a name that does not begin with a dot)",
      "service 'odd': cannot build 'odd': the variable 'PATH' is set by davit itself (change this variable in the package)",
    ])
  })

  test('fails where Nix is not installed', async () => {
    const other = await nixStore({ environment: { PATH: '/nowhere' } })
    const requests = [wantedBy('web', build('web', ''))]
    await expect(other.instantiate(requests)).rejects.toMatchObject({ code: 'nix-not-found' })
    await expect(other.invalidPaths([ABSENT])).rejects.toMatchObject({ code: 'nix-not-found' })
  })
})

describe.skipIf(noPrivateNix !== undefined)('realise()', () => {
  test('reports builds, and does nothing the second time', async () => {
    const packages = await instantiated(build('app', 'echo >$out', { inputs: { lib: build('lib', 'mkdir $out') } }))
    const events: ReportEvent[] = []
    const told = () => events.splice(0).map((event) => ('step' in event ? `${event.kind} ${event.step}` : event.kind))
    await store.realise(
      packages,
      quietly((event) => events.push(event)),
    )
    const first = told()
    expect(first.filter((text) => text.endsWith('lib'))).toStrictEqual(['started build lib', 'finished build lib'])
    expect(first.filter((text) => text.endsWith('app'))).toStrictEqual(['started build app', 'finished build app'])
    expect(first).toHaveLength(4)
    await store.realise(
      packages,
      quietly((event) => events.push(event)),
    )
    expect(told()).toStrictEqual([])
  })

  test('reports builds that have ended immediately, while others continue', async () => {
    const gate = join(nix.directory, 'gate')
    const slow = build('slow-one', 'while [ ! -e "$gate" ]; do sleep 0.05; done; echo >$out', { env: { gate } })
    const packages = await instantiated(slow, build('fast-one', 'echo >$out'), build('bad-one', 'exit 7'))
    const told: string[] = []
    const report = (event: ReportEvent) => void ('step' in event && told.push(`${event.kind} ${event.step}`))
    const realising = store.realise(packages, { ...quietly(report), maxJobs: 3 })
    realising.catch(() => {})
    await until(() => expect(told).toContain('finished build fast-one'))
    expect(told).not.toContain('finished build slow-one')
    writeFileSync(gate, '')
    await expect(realising).rejects.toMatchObject({ code: 'build-failed' })
    const ends = told.filter((text) => !text.startsWith('started'))
    expect(new Set(ends.slice(1))).toStrictEqual(new Set(['finished build slow-one', 'failed build bad-one']))
  })

  test('shows the end of the log of each build that fails, and makes the others', async () => {
    const bad = build('bad', 'i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "error: line $i"; done; exit 3')
    const packages = await instantiated(
      bad,
      build('needs-bad', 'echo >$out', { inputs: { bad } }),
      build('nothing', 'true'),
      build('good', 'sleep 0.2; echo >$out'),
    )
    const events: ReportEvent[] = []
    const failure = await failureOf(
      store.realise(
        packages,
        quietly((event) => events.push(event)),
      ),
    )
    expect(failure).toMatch(
      /^cannot build 2 of 4 packages\nthe build of 'bad' failed with exit code 3\n {2}\| error: line 16\n/,
    )
    expect(failure).toMatch(
      /line 40 \(run 'nix-store -l .*-bad\.drv' to see the whole log\)\nthe build of 'nothing' failed to produce/,
    )
    expect(failure).not.toContain('needs-bad')
    expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toStrictEqual(
      packages.slice(0, 3).map(({ outPath }) => outPath),
    )
    const failed = events.filter((event) => event.kind === 'failed').map(({ step, message }) => `${step}: ${message}`)
    expect(failed).toContain('build bad: failed with exit code 3')
    expect(failed).toHaveLength(2)
  })

  test('refuses other platforms before anything is built', async () => {
    const program = expressionProgram(
      nix,
      `foreign = make "foreign" "echo >$out" { system = "riscv64-linux"; };
       alien = make "alien" "echo >$out" { system = "riscv64-linux"; }; quantum = make "quantum" "echo >$out" {
       system = "${HERE}"; requiredSystemFeatures = [ "quantum" ]; };`,
    )
    const foreign = [selected(program, 'foreign'), selected(program, 'alien')]
    const packages = await instantiated(build('here', 'echo >$out'), ...foreign)
    const failure = store.realise(packages, quietly())
    await expect(failure).rejects.toMatchObject({
      code: 'wrong-system',
      hint: expect.stringContaining('--build-on-targets'),
    })
    expect(await failureOf(failure)).toBe(
      ['alien', 'foreign'].reduce(
        (text, name) => `${text}\n'${name}' must be built on riscv64-linux; this machine is ${HERE} ()`,
        `cannot build for platforms other than ${HERE} on this machine`,
      ),
    )
    expect(await store.invalidPaths([packages[0]!.outPath])).toHaveLength(1)
    const quantum = await instantiated(selected(program, 'quantum'))
    expect(await failureOf(store.realise(quantum, quietly()))).toContain("'quantum' must be built on")
  })

  test('is stopped by its signal, and leaves no builder', async () => {
    const packages = await instantiated(build('slow', 'sleep 876.54; echo >$out'))
    const abort = new AbortController()
    const realising = store.realise(packages, { report: () => {}, signal: abort.signal })
    realising.catch(() => {})
    await until(() => running('sleep 876.54'))
    abort.abort(new Error('enough'))
    await expect(realising).rejects.toThrow('enough')
    await until(() => !running('sleep 876.54'))
    expect(await store.invalidPaths(packages.map(({ outPath }) => outPath))).toHaveLength(1)
    await expect(store.realise(packages, { report: () => {}, signal: abort.signal })).rejects.toThrow('enough')
  })

  test('reports what is gone, and what a derivation does not build', async () => {
    const [made] = await instantiated(build('made', 'echo >$out'))
    const code = (packages: Parameters<typeof store.realise>[0]) =>
      store.realise(packages, quietly()).catch((error: { code: string }) => error.code)
    expect(await code([{ outPath: ABSENT }])).toBe('invalid-path')
    expect(await code([{ outPath: ABSENT, derivation: `${ABSENT}.drv` as StorePath }])).toBe('invalid-path')
    expect(await code([{ outPath: ABSENT, derivation: made!.derivation! }])).toBe('bad-derivation')
    expect(await code([])).toBeUndefined()
  })
})

describe.skipIf(noPrivateNix !== undefined)('the Nix store', () => {
  test('unbuilt() reports what builds wait for, and what they need', async () => {
    const ready = build('ready', 'echo >$out')
    const [valid] = await realised(ready)
    const lib = build('unbuilt-lib', 'echo >$out', { inputs: { ready } })
    const [web] = await instantiated(build('unbuilt-web', 'echo >$out', { inputs: { lib, ready } }), ready)
    const described = await store.unbuilt([web!, valid!])
    const names = [...described.values()].map(({ name }) => name)
    expect(new Set(names)).toStrictEqual(new Set(['unbuilt-lib', 'unbuilt-web']))
    const top = described.get(web!.derivation!)!
    const inner = described.get(top.waitsFor[0]!)!
    expect(top).toMatchObject({ system: HERE, outputs: [web!.outPath], waitsFor: [inner.derivation] })
    expect(top.requires).toHaveLength(2)
    expect(top.requires).toContain(valid!.outPath)
    expect(inner.waitsFor).toStrictEqual([])
    expect(await store.unbuilt([valid!])).toStrictEqual(new Map())
  })

  test('closure() returns what is needed, references first, for derivations as well', async () => {
    const lib = build('closure-lib', 'echo >$out')
    const [web, library] = await realised(build('closure-web', 'echo $lib >$out', { inputs: { lib } }), lib)
    expect(await store.closure([web!.outPath])).toStrictEqual([library!.outPath, web!.outPath])
    const derivations = await store.closure([web!.derivation!])
    expect(derivations.at(-1)).toBe(web!.derivation)
    expect(derivations.indexOf(library!.derivation!)).toBeLessThan(derivations.length - 1)
    const both = await Promise.allSettled([store.closure([ABSENT]), store.closure([library!.outPath])])
    expect(both).toMatchObject([{ status: 'rejected', reason: { code: 'invalid-path' } }, { status: 'fulfilled' }])
    expect(await store.invalidPaths([ABSENT, web!.outPath])).toStrictEqual([ABSENT])
  })

  test('an error of one user of the store does not fail the others', async () => {
    const failing = store.withServe((client) => client.closure([ABSENT]))
    const fine = [store.withServe((client) => client.validPaths([ABSENT])), store.invalidPaths([ABSENT])]
    await expect(failing).rejects.toMatchObject({ code: 'nix-store-ended' })
    expect(await Promise.all(fine)).toStrictEqual([new Set(), [ABSENT]])
  })

  test('addProfiles() makes packages whose closures hold packages and modules, though builds are in a sandbox', async () => {
    const sandboxed = await nixStore({ environment: { ...nix.environment, NIX_CONFIG: 'sandbox = true' } })
    const [web] = await realised(build('profile-web', 'echo >$out'))
    const module = await sandboxed.addModule('process', MODULE)
    const modules = new Map([['process', module]])
    const contents = { name: 'web1', packages: [web!.outPath], profileManifest: '<profilemanifest/>', modules }
    const [profile, again, other] = await sandboxed.addProfiles([contents, contents, { ...contents, name: 'web2' }])
    expect([again, basename(other!).slice(33)]).toStrictEqual([profile, 'web2'])
    expect(
      nix.shell('cd "$1"; find . ! -type d | sort; cat profilemanifest.xml modules/process.activities', profile!),
    ).toBe(
      `./modules/process\n./modules/process.activities\n./packages/${basename(web!.outPath)}\n./profilemanifest.xml\n` +
        '<profilemanifest/>activate\ndeactivate\n',
    )
    expect(nix.shell('"$1/modules/process" activate; readlink "$1"/packages/*', profile!)).toBe(
      `activate\n${web!.outPath}\n`,
    )
    expect(await store.closure([profile!])).toStrictEqual([...[web!.outPath, module].sort(), profile])
    await expect(store.addProfiles([{ ...contents, packages: [ABSENT] }])).rejects.toMatchObject({
      code: 'invalid-path',
    })
  })

  test('a collection takes only what nothing keeps', async () => {
    const [kept, replaced, loose] = await realised(
      ...['kept', 'replaced', 'loose'].map((name) => build(name, `echo ${name} >$out`)),
    )
    const all = [kept!, replaced!, loose!].map(({ outPath }) => outPath)
    const collected = async () => {
      nix.shell('nix-store --gc 2>/dev/null >/dev/null')
      const invalid = new Set(await store.invalidPaths(all))
      return ['kept', 'replaced', 'loose'].filter((_, index) => invalid.has(all[index]!))
    }
    expect(await collected()).toStrictEqual([])
    const [waiting] = await instantiated(build('waiting', 'echo >$out'))
    expect(await collected()).toStrictEqual([])
    expect(await store.invalidPaths([waiting!.derivation!])).toStrictEqual([])

    await store.addRoot('generation-1', [replaced!.outPath])
    // As if everything made so far had been made long ago.
    for (const link of readdirSync(ROOTS)) lutimesSync(join(ROOTS, link), 0, 0)
    await store.protect([waiting!.derivation!])
    expect(await store.hasRoot('other', [kept!.outPath])).toBe(false)
    await store.addRoot('other', [kept!.outPath, replaced!.outPath])
    expect(await store.hasRoot('other', [replaced!.outPath, kept!.outPath])).toBe(true)
    expect(await store.hasRoot('other', [kept!.outPath])).toBe(false)
    expect(await collected()).toStrictEqual(['loose'])
    await store.addRoot('other', [kept!.outPath])
    await store.removeRoot('generation-1')
    await store.removeRoot('generation-1')
    expect(await collected()).toStrictEqual(['replaced', 'loose'])
    expect(await store.invalidPaths([waiting!.derivation!])).toStrictEqual([])
    await store.realise([waiting!], quietly())
    await store.removeRoot('other')
    expect(await collected()).toStrictEqual(['kept', 'replaced', 'loose'])
    await expect(store.addRoot('../x', all)).rejects.toMatchObject({ code: 'bad-root-name' })
    await expect(store.protect(all)).rejects.toMatchObject({ code: 'invalid-path' })
  })

  test('a user who may not write among the roots of Nix keeps roots in his own state', async () => {
    const [made] = await realised(build('private', 'echo >$out'))
    const home = nix.place('home')
    mkdirSync(join(home, 'elsewhere'), { recursive: true })
    const other = await nixStore({
      environment: {
        ...nix.environment,
        NIX_REMOTE: `local?state=/nix/var/nix`,
        NIX_STATE_DIR: join(home, 'elsewhere'),
      },
    })
    await other.addRoot('mine', [made!.outPath])
    expect(lstatSync(join(home, '.local/state/davit/nix-roots/mine')).isSymbolicLink()).toBe(true)
  })
})
