import { machine, platform } from 'node:os'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import type { Environment } from '@davit/process'

/** The platform that packages can be built for on this machine: DAVIT_SYSTEM, or what the kernel says. */
export function currentSystem({ DAVIT_SYSTEM }: Environment): System {
  const name = DAVIT_SYSTEM || `${PROCESSORS.get(machine()) ?? machine()}-${platform()}`
  if (/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$/.test(name)) return name as System
  throw new DavitError('bad-system', `'${name}' cannot be the name of a platform`, {
    exitStatus: ExitStatus.usage,
    hint: 'set DAVIT_SYSTEM to a name such as x86_64-linux',
  })
}

/** Kernels that name a processor otherwise than everybody else. */
const PROCESSORS: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
])
