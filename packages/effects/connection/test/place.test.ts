import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NOBODY } from '@davit/testing/nobody'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { makePlace, whyForeign } from '../src/held/place.ts'

test('the directory of a socket is made where nobody else can replace it', async () => {
  const [own, open] = [scratchDirectory(), scratchDirectory()]
  chmodSync(open, 0o777)
  for (const [TMPDIR, parent] of [
    [own, own],
    [open, '/tmp'],
  ] as const) {
    const place = await makePlace({ TMPDIR })
    expect(dirname(place.directory)).toBe(parent)
    expect(await whyForeign(join(place.directory, 'socket'))).toBeUndefined()
    place.remove()
  }
})

test.runIf(process.getuid?.() === 0)(
  'a socket is not trusted in a directory that another user could replace',
  async () => {
    const above = scratchDirectory()
    const directory = join(above, 'private')
    mkdirSync(directory, { mode: 0o700 })
    expect(await whyForeign(join(directory, 'socket'))).toBeUndefined()
    chownSync(above, NOBODY.uid, NOBODY.gid)
    expect(await whyForeign(join(directory, 'socket'))).toBe(`others could lead '${above}' elsewhere`)
  },
)
