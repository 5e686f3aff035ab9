import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withAside } from '../../src/aside.ts'
import { installTree } from '../../src/install-tree.ts'
import { writeTree } from '../testing.ts'

/** Installs a stack with another one below it again and again, as many runs at the same time do; it begins when all of them can. */
const [directory = '', name = '', ...others] = process.argv.slice(2)
writeFileSync(join(directory, name), '')
while (!others.every((other) => existsSync(join(directory, other))));
for (let round = 0; round < 40; round += 1) {
  await withAside(join(directory, 'empty'), async () => {})
  const root = join(directory, 'fetched')
  await withAside(root, async (aside) => {
    const text = `${name} ${round}`
    writeTree(join(aside, 'stack'), { '.origin.json': text, file: text, 'sub/.origin.json': '' })
    await installTree(join(aside, 'stack'), { root, path: 'a/b' }, aside)
  })
}
