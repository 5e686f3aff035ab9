import type { Store } from '@davit/store'

import { nativeTargetStore } from './native/native-target-store.ts'
import { nixTargetStore } from './nix/nix-target-store.ts'
import type { ShellTarget } from './shell-target.ts'
import type { TargetStore } from './target-store.ts'

/** Opens the target's half of the coordinator's store. */
export function openTargetStore({ name, machine }: ShellTarget<'carry'>, store: Store): TargetStore {
  return store.kind === 'native' ? nativeTargetStore(machine, store) : nixTargetStore({ name, machine }, store)
}
