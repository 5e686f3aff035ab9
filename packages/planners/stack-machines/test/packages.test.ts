import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { type BuildModel, built, emissionOf, run, servicesIn, stackOf, targetsNamed } from './testing.ts'

function buildOf(container: string, targets = targetsNamed(['one'])): BuildModel {
  const build = servicesIn(emissionOf(stackOf({ main: `type: mu/container, ${container}` }), { targets }))['shop.main']
  if (build?.pkg.build === undefined) throw new Error('it is not built')
  return build.pkg.build
}

const SHOW = '#!/bin/sh\nprintf "%s|" "$PWD" "${0##*/}" "$@"\n'

test.each([
  [
    'the command with its words, looked up in the package',
    'build: p, command: [show, "a b", "it\'s", "$x"]',
    "show|a b|it's|$x|",
  ],
  ['the only program', 'build: p', 'show|'],
  ['a program of the machine', 'build: p, command: [printf, "%s|", "", x]', undefined],
])('a container starts %s', (_, container, expected) => {
  const start = join(built(buildOf(container), { show: SHOW }), 'bin/start')
  const { stdout, stderr } = run([start])
  expect(stderr).toBe('')
  const home = join(start, '../../../package')
  expect(stdout).toBe(expected === undefined ? '|x|' : `${home}|${expected}`)
})

test('a container without a package starts a program of the machine in its own package', () => {
  const out = built(buildOf('command: [pwd]'), undefined)
  expect(run([join(out, 'bin/start')]).stdout).toBe(`${out}\n`)
})

test('a package with several programs needs a command, and says so when it is built', () => {
  expect(() => built(buildOf('build: p'), { a: SHOW, b: SHOW })).toThrow(
    "2 programs in 'bin': give the service a 'command'",
  )
  expect(() => built(buildOf('build: p'), {})).toThrow('0 programs')
})

const VALUES: Readonly<Record<string, string>> = {
  reference: '${db.port} $${x} $(id) `id` $HOME',
  quotes: `'"'\\'' "`,
  lines: 'first\nEND\nEND_\n\n',
  program: 'words of the script are not taken',
  package: 'nor this one',
  long: 'x'.repeat(100_000),
  unicode: 'ä\u2028\u{1F600}',
  __proto__x: '*',
}

test('values arrive unchanged, whatever they hold', () => {
  const env = `env: { ${Object.entries(VALUES)
    .map((pair) => `${pair[0]}: ${JSON.stringify(pair[1])}`)
    .join(', ')}, number: 1.5, truth: false, nothing: , list: [1, "a"], table: { b: 1, a: { c: "d" } } }`
  const show = `#!${process.execPath}\nprocess.stdout.write(JSON.stringify(process.env))\n`
  const { stdout } = run([join(built(buildOf(`build: p, ${env}`), { show }), 'bin/start')])
  expect(JSON.parse(stdout)).toMatchObject({
    ...VALUES,
    number: '1.5',
    truth: 'false',
    nothing: '',
    list: '[1,"a"]',
    table: '{"b":1,"a":{"c":"d"}}',
  })
})

test('a port is what the activation waits for, and a variable', () => {
  const out = built(buildOf('build: p, ports: [8001, 8002]'), { show: '#!/bin/sh\necho "$PORT"\n' })
  expect(readFileSync(join(out, 'etc/dysnomia/process/start'), 'utf8')).toBe('readyPort=8001\n')
  expect(run([join(out, 'bin/start')]).stdout).toBe('8001\n')
})

test('the same path in two stack files names two packages', () => {
  const inner = stackOf({ main: 'type: mu/container, build: p' }, 'inner')
  const outer = stackOf({ inner: 'type: inner', main: 'type: mu/container, build: p' })
  const services = servicesIn(emissionOf({ ...outer, 'inner/Mu.yaml': inner['Mu.yaml'] ?? '' }))
  const sourceOf = (name: string) => services[name]?.pkg.build?.inputs?.['package']?.source
  expect([sourceOf('shop.main'), sourceOf('shop.inner.main')]).toEqual(['/w/p', '/w/inner/p'])
})

test('a script makes the package, with its variables as they are written', () => {
  const { inputs } = buildOf('build: src, script: "make $out", args: { V: "${x}", N: 1 }')
  expect(inputs).toEqual({
    package: { build: { script: 'make $out', env: { V: '$${x}', N: '1' }, sources: { source: '/w/src' } } },
  })
  expect(buildOf('build: src').inputs).toEqual({ package: { source: '/w/src', name: 'package' } })
})

test('what a script makes of the directory is the package that runs', () => {
  const script = 'mkdir -p $out/bin; sed "s/WORD/$WORD/" $source/bin/main >$out/bin/made; chmod 755 $out/bin/made'
  const build = buildOf(`build: src, script: ${JSON.stringify(script)}, args: { WORD: "a b" }`)
  const [source, out] = [scratchDirectory(), join(scratchDirectory(), 'made')]
  mkdirSync(join(source, 'bin'))
  writeFileSync(join(source, 'bin/main'), '#!/bin/sh\necho "WORD, ${0##*/}"\n')
  const inner = build.inputs?.['package']?.build as { readonly script: string; readonly env: Record<string, string> }
  expect(run(['/bin/sh', '-eu', '-c', inner.script], { out, source, ...inner.env })).toMatchObject({ status: 0 })
  const made = readFileSync(join(out, 'bin/made'), 'utf8')
  expect(run([join(built(build, { made }), 'bin/start')]).stdout).toBe('a b, made\n')
})

function volumeOf(containers: readonly string[], directory: string) {
  const texts = {
    ...stackOf({
      main: 'type: mu/container, command: [stat, -c, "%a", disk], volumes: { DATA: disk }',
      disk: 'type: mu/volume, mode: "0750"',
    }),
    'Muspace.yaml': `clusters: { here: { default: true, settings: { volumeDirectory: ${directory}/ } } }\n`,
  }
  return servicesIn(emissionOf(texts, { targets: targetsNamed(['one'], containers) }))
}

test('a volume is a fileset, and whoever mounts it gives it its mode', () => {
  const directory = scratchDirectory()
  const services = volumeOf(['process', 'fileset', 'wrapper'], directory)
  const disk = services['shop.disk']
  expect(disk).toMatchObject({ type: 'fileset', deployState: true })
  const out = built(disk?.pkg.build ?? { script: '' }, undefined)
  expect(readFileSync(join(out, '.dysnomia-targetdir'), 'utf8')).toBe(`${directory}\n`)
  expect(readFileSync(join(out, '.dysnomia-fileset'), 'utf8')).toBe('mkdir shop.disk\n')
  const main = built(services['shop.main']?.pkg.build ?? { script: '' }, undefined)
  expect(run([join(main, 'bin/start')]).status).not.toBe(0)
  expect(readFileSync(join(main, 'bin/start'), 'utf8')).toContain(`export DATA='${directory}/shop.disk'`)
  mkdirSync(join(directory, 'shop.disk'))
  run([join(main, 'bin/start')])
  expect(statSync(join(directory, 'shop.disk')).mode & 0o777).toBe(0o750)
})

test('where machines have no filesets, a volume is a wrapper that keeps, moves and removes its data', () => {
  const directory = scratchDirectory()
  const { 'shop.disk': disk, 'shop.main': main } = volumeOf(['process', 'wrapper'], directory)
  expect(main?.pkg.build?.script).not.toContain('chmod 0750')
  expect(disk?.type).toBe('wrapper')
  const wrapper = join(built(disk?.pkg.build ?? { script: '' }, undefined), 'bin/wrapper')
  const [data, snapshot] = [join(directory, 'shop.disk'), join(directory, 'snapshot')]
  const act = (activity: string) => {
    expect(run([wrapper, activity, 'wrapper'], { DAVIT_SNAPSHOT: snapshot })).toMatchObject({ status: 0, stderr: '' })
  }
  mkdirSync(snapshot)
  act('activate')
  expect(statSync(data).mode & 0o777).toBe(0o750)
  writeFileSync(join(data, 'count'), '7')
  act('deactivate')
  act('snapshot')
  expect(readFileSync(join(snapshot, 'state/count'), 'utf8')).toBe('7')
  // What comes back is a copy, as on another machine.
  run(['/bin/sh', '-c', `cp -R "$1/state/" "$1/copy" && rm "$1/state" && mv "$1/copy" "$1/state"`, 'sh', snapshot])
  writeFileSync(join(data, 'later'), '')
  act('restore')
  expect([readFileSync(join(data, 'count'), 'utf8'), existsSync(join(data, 'later'))]).toEqual(['7', false])
  // A restoration that was cut off behind its last step but one.
  mkdirSync(join(directory, '.shop.disk.davit-state'))
  act('activate')
  expect(existsSync(join(data, 'count'))).toBe(false)
  act('collect-garbage')
  expect(existsSync(data)).toBe(false)
})
