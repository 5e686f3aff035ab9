import { machine, platform } from 'node:os'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import type { Environment } from '@davit/process'

/** The platform for which this machine builds packages: DAVIT_SYSTEM, or that of the kernel. */
export function currentSystem({ DAVIT_SYSTEM }: Environment): System {
  const name = DAVIT_SYSTEM || `${PROCESSORS.get(machine()) ?? machine()}-${platform()}`
  if (/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$/.test(name)) return name as System
  throw new DavitError('bad-system', `'${name}' is not a valid platform name`, {
    exitStatus: ExitStatus.usage,
    hint: 'set DAVIT_SYSTEM to a name such as x86_64-linux',
  })
}

/** Processors for which some kernels have unusual names. */
const PROCESSORS: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
])
