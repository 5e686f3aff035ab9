import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { installedShells } from '@davit/testing/shells'
import { expect, test } from 'vitest'

const PART = readFileSync(new URL('../runtime/snapshot-changes.sh', import.meta.url), 'utf8')

test.each(installedShells())(
  'a file that changes is not read through a link in its place, in $name',
  ({ program, path }) => {
    const directory = scratchDirectory()
    const at = (name: string) => join(directory, name)
    for (const name of ['state/below', 'theirs', 'dump', 'copies']) mkdirSync(at(name), { recursive: true })
    writeFileSync(at('theirs/file'), 'of somebody else')
    writeFileSync(at('state/below/file'), 'mine')
    symlinkSync(at('theirs'), at('state/swapped'))
    symlinkSync(at('theirs/file'), at('state/link'))
    symlinkSync(at('state'), at('dump/state'))
    const script = `cd '${directory}' || exit
${PART}
for path in ./state/below/file ./state/swapped/file ./state/link; do
  copy=copies/file
  find_place dump && { read_open; } 8<"dump/$path" >/dev/null && cat copies/file
  printf ' %s\\n' "$?"
done`
    expect(spawnSync(program, ['-c', script], { encoding: 'utf8', env: { PATH: path } })).toMatchObject({
      stdout: 'mine 0\n 1\n 1\n',
      stderr: '',
    })
  },
)
