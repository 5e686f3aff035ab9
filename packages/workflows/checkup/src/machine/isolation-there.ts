import type { StoreReference } from '@davit/documents'
import type { MachineCondition } from '@davit/target'

import { type Check, fine, found } from '../check.ts'

/** Looks at how well builds can be isolated on a target, should they run there; whether the kernel allows it shows when one does. */
export function isolationThere(
  { account, versions }: Pick<MachineCondition, 'account' | 'versions'>,
  { kind }: StoreReference,
): readonly Check[] {
  if (kind === 'nix') return []
  const version = versions.get('bubblewrap')
  if (version !== undefined) {
    const whose = account === 'root' ? 'an account that nobody has' : `'${account}'`
    return [fine('isolation', `${version}, to isolate builds, which run as ${whose}`)]
  }
  const finding = {
    text: 'bubblewrap (bwrap) is not installed',
    means: `builds there can read everything that '${account}' can read, and those from fetched stacks are refused`,
    remedy: 'to build there: apt-get install bubblewrap, or what its system has in its place',
  }
  return [found('isolation', 'note', finding)]
}
