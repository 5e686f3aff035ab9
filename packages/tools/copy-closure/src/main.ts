import { dirname } from 'node:path'

import { copyClosure } from '@davit/distribution'
import { parseProfileName, parseStorePath, storeOf, type StorePath } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { openStore } from '@davit/store'
import { allTargets } from '@davit/target'
import { defineTool, directionOf, infrastructureOf, onlyTarget, usageError, withTargets } from '@davit/tool'

import { description } from './description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    parseProfileName(args.profile)
    const direction = directionOf(args, 'packages')
    const paths = pathsOf(args.path)
    const store = await openStore(storeOf(paths[0]), context)
    const infrastructure = onlyTarget(await infrastructureOf(context, loadInfrastructure), args.target)
    await withTargets(
      infrastructure,
      { ...context, role: 'carry', manifests: [], trust: 'everything' },
      async (reached) => {
        for (const target of allTargets(reached)) await copyClosure(paths, target, { ...context, store, direction })
      },
    )
  },
})

function pathsOf(words: readonly string[]): readonly StorePath[] {
  const paths = words.map((word) => parseStorePath(word) ?? refuse(word))
  const [first] = paths
  if (first === undefined) throw usageError('no path is given', 'name one or more store paths')
  const other = paths.find((path) => dirname(path) !== dirname(first))
  if (other === undefined) return paths
  throw usageError(`'${first}' and '${other}' are in different stores`, 'copy the paths of each store on their own')
}

function refuse(word: string): never {
  throw usageError(
    `'${word}' is not a store path`,
    'write the whole path: the store directory, 32 characters, a hyphen and a name',
  )
}
