import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Store } from '@davit/store'

import { clientTargetStore } from './client/client-target-store.ts'
import { nativeTargetStore } from './native/native-target-store.ts'
import { nixTargetStore } from './nix/nix-target-store.ts'
import type { ShellTarget } from './shell-target.ts'
import type { TargetStore } from './target-store.ts'

/** Opens the target's half of the coordinator's store. */
export function openTargetStore({ name, machine }: ShellTarget<'carry'>, store: Store): TargetStore {
  if (machine.client !== undefined) {
    if (store.kind === 'native') throw onlyNix()
    return clientTargetStore(machine.client, store)
  }
  return store.kind === 'native' ? nativeTargetStore(machine, store) : nixTargetStore({ name, machine }, store)
}

function onlyNix(): DavitError {
  return new DavitError('unsupported-interface', 'a client executable can only carry packages of the Nix store', {
    exitStatus: ExitStatus.usage,
    hint: 'use --store nix',
  })
}
