import { relative } from 'node:path'

import { nodeVersion } from '@davit/process'
import { storeLayout } from '@davit/store'
import { type Isolation, probeIsolation } from '@davit/isolation'

import { type Check, fine, found } from '../check.ts'
import type { CheckupTerms } from '../terms.ts'

/** The oldest version of Node.js that davit works with. */
export const LEAST_NODE = [20, 19] as const

/** Looks at the programs that davit itself needs. */
export function nodeChecks({ version }: CheckupTerms, node = nodeVersion()): readonly Check[] {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const [leastMajor, leastMinor] = LEAST_NODE
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor))
    return [fine('versions', `davit ${version}, Node.js ${node}`)]
  const finding = {
    text: `Node.js ${node} is too old`,
    means: `davit needs ${LEAST_NODE.join('.')} or newer`,
    remedy: 'install a newer one',
  }
  return [found('versions', 'error', finding)]
}

/** Looks at how well builds are isolated here. */
export async function isolationChecks({ environment, store }: CheckupTerms): Promise<readonly Check[]> {
  if (store.kind === 'nix') return []
  const { directory, incoming } = storeLayout(store.directory)
  const reach = { directory, name: relative(directory, incoming) }
  return [isolationCheck(await probeIsolation(environment, { reach, paths: [] }))]
}

export function isolationCheck(isolation: Isolation): Check {
  const { kind } = isolation
  if (isolation.kind === 'bubblewrap') {
    const account = isolation.account === undefined ? 'the account that starts them' : 'an account that nobody has'
    return fine('isolation', `builds are isolated by bubblewrap, and run as ${account}`)
  }
  const means =
    kind === 'none'
      ? 'they can use the network, and everything that this account can read; processes may outlive them'
      : 'they can read everything that this account can read, such as keys in its home directory'
  return found('isolation', kind === 'none' ? 'warning' : 'note', {
    text: kind === 'none' ? 'builds are not isolated' : 'builds are isolated by namespaces only',
    means,
    remedy: 'apt-get install bubblewrap, or what your system has in its place',
  })
}
