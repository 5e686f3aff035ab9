import { shellWord } from '@davit/diagnostics'
import type { StoreReference } from '@davit/documents'
import { hintForFleeting, type Machine, type MachineCondition, wordsForFleeting } from '@davit/target'

import { type Check, fine, found } from '../check.ts'
import { countOf } from '../words.ts'
import { diskChecks } from './disk-checks.ts'

/** What is told of any machine, be it a target or the coordinator. */
export interface ExaminedMachine {
  readonly facts: Machine['facts']
  readonly condition: MachineCondition
  readonly store: StoreReference
}

/** Looks at the system of a machine: versions, the account, disks, what cannot be written. */
export function systemChecks(machine: ExaminedMachine): readonly Check[] {
  const { condition } = machine
  return [
    ...versionChecks(machine),
    ...nixChecks(machine),
    ...writingChecks(machine),
    ...sessionChecks(machine.facts),
    ...diskChecks(condition.disks),
    ...rubbishChecks(condition),
  ]
}

function versionChecks({ facts, condition: { versions } }: ExaminedMachine): readonly Check[] {
  const texts = ['system', 'kernel', 'shell', 'tar'].flatMap((name) => versions.get(name) ?? [])
  const told = fine('versions', [...texts, facts.system].join(', '))
  if (facts.compressors.length > 0) return [told]
  const finding = {
    text: 'neither zstd nor gzip is installed',
    means: 'snapshots are kept and sent uncompressed',
    remedy: 'install zstd there',
  }
  return [told, found('versions', 'note', finding)]
}

function nixChecks({ condition: { versions }, store }: ExaminedMachine): readonly Check[] {
  const version = versions.get('nix')
  if (version !== undefined) return [fine('nix', version)]
  if (store.kind !== 'nix') return []
  const finding = {
    text: "there is no program 'nix-store', and packages are kept by Nix",
    means: 'nothing can be deployed there',
    remedy: 'install Nix there, or deploy with --store native',
  }
  return [found('nix', 'error', finding)]
}

function writingChecks({ facts, condition, store }: ExaminedMachine): readonly Check[] {
  const { account, unwritable, open } = condition
  // In a store of Nix, only Nix writes.
  const own = unwritable.filter(({ path }) => store.kind === 'native' || path !== store.directory)
  const cannot = own.map(({ path, existing }) =>
    found(path === store.directory ? 'store' : 'state', 'error', {
      text: `'${account}' may not write to '${existing}'`,
      means: `davit cannot keep anything in '${path}'`,
      remedy: `as root there: ${path === existing ? `chown ${account} ${shellWord(path)}` : `install -d -o ${account} ${shellWord(path)}`}`,
    }),
  )
  const place = fine('account', `'${account}' keeps the state in ${facts.stateDirectory}`)
  const exposed = open === undefined ? [] : [exposedCheck(open, account)]
  return [place, ...cannot, ...exposed]
}

function sessionChecks({ fleeting }: Machine['facts']): readonly Check[] {
  if (fleeting === undefined) return []
  const finding = {
    text: wordsForFleeting(fleeting),
    means: 'no process can be deployed there',
    remedy: hintForFleeting(fleeting),
  }
  return [found('session', 'error', finding)]
}

function exposedCheck(path: string, account: string): Check {
  return found('state', 'error', {
    text: `others may change '${path}', with davit's state`,
    means: 'they could change what davit stops and starts, so it does nothing there',
    remedy: `as root there: chown ${account} ${shellWord(path)}; chmod go-w ${shellWord(path)}`,
  })
}

function rubbishChecks({ rubbish }: MachineCondition): readonly Check[] {
  return rubbish.map(({ store, count }) =>
    found('rubbish', 'note', {
      text: `'${store}' contains ${countOf(count, 'path')} that a transfer or a build has left half made`,
      means: 'it takes space, and nothing uses it',
      remedy: 'davit-collect-garbage --deployed',
    }),
  )
}
