import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { makeDirectories, reasonOf, writeFileAtomic } from '@davit/files'
import { clientModule } from '@davit/target-runtime'

import type { MachineFacts } from '../helper/facts.ts'
import type { Client } from './client.ts'
import { textOf } from './text-of.ts'

/** Makes sure that the executable is there, and that activities find it (see `target-runtime/runtime/client-module.sh`). */
export async function prepareClient(client: Client, { stateDirectory }: MachineFacts): Promise<Client> {
  const { executable, address } = client
  if (executable.startsWith('/')) checkExecutable(executable)
  if (/[\n\0]/.test(executable + address)) throw notUsable(executable, 'it, or the address, has more than one line')
  const directory = join(stateDirectory, 'client')
  makeDirectories(directory)
  await writeUnlessEqual(join(directory, 'executable'), `${executable}\n${address}\n`, 0o644)
  await writeUnlessEqual(join(directory, 'module.activities'), ACTIVITIES.map((one) => `${one}\n`).join(''), 0o644)
  await writeUnlessEqual(join(directory, 'module'), clientModule(), 0o755)
  await writeUnlessEqual(join(directory, 'nothing'), '#!/bin/sh\n', 0o755)
  return client
}

/**
 * The client has no operation for the status of a service, and locks all services of a target with the target. The last one stands for
 * modules of Dysnomia, which keep their snapshots by themselves.
 */
const ACTIVITIES = ['activate', 'deactivate', 'snapshot', 'restore', 'collect-garbage', 'shell']

function checkExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch (cause) {
    throw notUsable(path, reasonOf(cause))
  }
  if (!statSync(path).isFile()) throw notUsable(path, 'it is not a file')
}

function notUsable(executable: string, reason: string): DavitError {
  return new DavitError('client-failed', `cannot use the client executable '${executable}': ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    hint: "check the path and its permissions, and 'clientInterface' in the infrastructure model",
  })
}

async function writeUnlessEqual(path: string, text: string, mode: number): Promise<void> {
  if (textOf(path) !== text) await writeFileAtomic(path, text, { mode })
}
