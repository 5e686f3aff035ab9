import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'

import { readModules } from '../src/read-modules.ts'

/** A module with state, in the style of those of Dysnomia: strict, in bash, with unquoted names and arrays. */
const MODULE = `#!/bin/bash
set -e
set -o pipefail
SOURCING
composeUtilityVariables $0 $2 $3
data=$base/$componentName
case "$1" in
    activate)
        if [ ! -d $data ]
        then
            mkdir -p $data
            echo "$typeIdentifier $containerName" > $data/rows
        fi
        markComponentAsActive
        ;;
    deactivate)
        markComponentAsGarbage
        ;;
    stop)
        unmarkComponentAsActive
        ;;
    snapshot)
        work=$(mktemp -d)
        gzip -nc $data/rows > $work/dump.gz
        hash=$(cat $work/dump.gz | sha256sum)
        hash=\${hash:0:64}
        snapshots=$(composeSnapshotsPath)
        if [ -d $snapshots/$hash ]
        then
            rm -Rf $work
        else
            mkdir -p $snapshots/$hash
            mv $work/dump.gz $snapshots/$hash
            rmdir $work
        fi
        createGenerationSymlink $snapshots/$hash
        ;;
    restore)
        last=$(determineLastSnapshot)
        if [ "$last" != "" ]
        then
            gzip -dc $last/dump.gz > $data/rows
        fi
        ;;
    collect-garbage)
        if componentMarkedAsGarbage
        then
            rm -Rf $data
            unmarkComponentAsGarbage
        fi
        ;;
esac
`
const NAME = '0123456789abcdfghijklmnpqrsvwxyz-books'

const SOURCINGS = [
  'source @datadir@/@PACKAGE@/util',
  'source @libexecdir@/dysnomia/util',
  'source /opt/nowhere/share/dysnomia/util',
  '. "$prefix/libexec/dysnomia/util"',
  '  source "$(dirname "$0")/util"',
  'source ${0%/*}/util',
]

test.each(SOURCINGS)('a module that begins with %j keeps its state where it is not installed', async (sourcing) => {
  const { call, data, kept, directory } = await scene(sourcing)
  const rows = (text?: string) => {
    if (text !== undefined) writeFileSync(join(data, 'rows'), text)
    return readFileSync(join(data, 'rows'), 'utf8')
  }
  call('restore')
  call('deactivate')
  call('activate')
  expect(rows()).toBe('library shelf\n')
  expect(kept('activated')).toEqual(['books'])
  for (const text of ['one\n', 'one\n', 'two\n', 'one\n']) {
    rows(text)
    call('snapshot')
  }
  expect([kept('generations/shelf/books'), kept('snapshots/shelf/books').length]).toEqual([['1', '2', '3'], 2])
  const [first, third] = ['1', '3'].map((number) =>
    readlinkSync(join(directory, 'state/generations/shelf/books', number)),
  )
  expect(first).toMatch(/^\.\.\/\.\.\/\.\.\/snapshots\/shelf\/books\/[0-9a-f]{64}$/)
  expect(third).toBe(first)
  const sum = readFileSync(join(directory, 'state/checksums/shelf/books', first!.slice(-64)), 'utf8')
  expect(sum).toBe(`sha256:${hashOf(join(directory, 'state/snapshots/shelf/books', first!.slice(-64)))}`)
  // More than nine, whose order is not that of their names.
  for (const text of ['4\n', '5\n', '6\n', '7\n', '8\n', '9\n', '10\n', '11\n']) {
    rows(text)
    call('snapshot')
  }
  rows('lost\n')
  call('restore')
  expect(rows()).toBe('11\n')
  call('collect-garbage')
  call('deactivate')
  call('deactivate')
  expect([kept('activated'), kept('garbage')]).toEqual([[], ['books']])
  call('activate')
  expect([kept('activated'), kept('garbage')]).toEqual([['books'], []])
  call('deactivate')
  call('collect-garbage')
  expect([existsSync(data), kept('garbage')]).toEqual([false, []])
  call('activate')
  call('stop')
  expect([kept('activated'), kept('garbage')]).toEqual([[], []])
})

test('a module uses the installation of Dysnomia that it expects, and else the file beside it', async () => {
  const directory = scratchDirectory()
  const installed = join(directory, 'share/dysnomia/util')
  const { call } = await scene(`source ${installed}`, { util: 'echo beside; composeUtilityVariables() { exit 0; }\n' })
  expect(call('activate')).toBe('beside\n')
  mkdirSync(join(directory, 'share/dysnomia'), { recursive: true })
  writeFileSync(installed, 'echo installed; composeUtilityVariables() { exit 0; }\n')
  expect(call('activate')).toBe('installed\n')
})

test.each(['source ./util', 'source "$lib/utilities"', '# source /usr/share/dysnomia/util', 'util=/x/dysnomia/util'])(
  'a module with %j is left as it is',
  async (line) => {
    const { script } = await scene(line)
    expect(script).toBe(MODULE.replace('SOURCING', line))
  },
)

/** A module `library`, as it is on a target, and what it is called with there. */
async function scene(sourcing: string, { util }: { readonly util?: string } = {}) {
  const directory = scratchDirectory()
  const modules = join(directory, 'modules')
  mkdirSync(modules)
  writeFileSync(
    join(modules, 'library'),
    MODULE.replace('SOURCING', () => sourcing),
    { mode: 0o755 },
  )
  if (util !== undefined) writeFileSync(join(modules, 'util'), util)
  const read = await readModules(modules)
  expect([...read.keys()]).toEqual(['library'])
  const script = Buffer.from(read.get('library')!.script).toString()
  const module = join(directory, 'library')
  writeFileSync(module, script)
  chmodSync(module, 0o755)
  const environment = {
    PATH: '/usr/bin:/bin',
    DYSNOMIA_STATEDIR: join(directory, 'state'),
    NIX_STORE_DIR: join(directory, 'store'),
    base: join(directory, 'data'),
  }
  const call = (activity: string): string => {
    const argv = [activity, join(directory, 'store', NAME), 'shelf']
    const { status, stdout, stderr } = spawnSync(module, argv, { env: environment, encoding: 'utf8' })
    expect([activity, status, stderr]).toEqual([activity, 0, ''])
    return stdout
  }
  /** What is kept of the container, or in a directory of the store of snapshots. */
  const kept = (kind: string) => {
    const place = join(directory, 'state', kind.includes('/') ? kind : join(kind, 'shelf'))
    return existsSync(place) ? readdirSync(place).toSorted() : []
  }
  return { directory, script, call, kept, data: join(directory, 'data/books') }
}

/** The checksum of a directory with one file, as Dysnomia computes it. */
function hashOf(directory: string): string {
  const script = 'cd "$1" && { find . && echo && cat ./*; } | sha256sum | cut -c 1-64'
  return spawnSync('sh', ['-c', script, 'sh', directory], { encoding: 'utf8' }).stdout.trim()
}
