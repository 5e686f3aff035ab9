import { type LockUse, withLock } from '@davit/deployment-lock'
import { printableLines, type Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { settledObservation, type SettlingTerms } from '@davit/observation'
import { abandonRecord, isSamePlace, machinesOf, type ShellTarget } from '@davit/target'

import { abandonedBy, placeOf, type Recorded, recordedIn } from './abandoned.ts'
import { say } from './messages.ts'

export interface AbandonTerms extends Omit<SettlingTerms, 'running'> {
  /** Services by name or key, optionally with `@TARGET`. */
  readonly names: readonly string[]
  readonly dryRun: boolean
  readonly lockUse: LockUse
  print(text: string): Promise<void>
}

/** Gives up services that nothing can stop: puts their records aside without calling their modules. */
export async function abandon(targets: readonly ShellTarget[], terms: AbandonTerms): Promise<void> {
  const { names, dryRun, lockUse, print } = terms
  if (dryRun) {
    const chosen = abandonedBy(names, await recordedOn(targets, { ...terms, running: 'tell' }))
    return print(printableLines(chosen.map((record) => `give up ${placeOf(record)}`)))
  }
  await withLock(targets, lockUse, async (lock) => {
    const chosen = abandonedBy(names, await recordedOn(targets, { ...terms, running: 'wait' }))
    await lock.extend(formerNames(chosen, targets), async ({ token }) => {
      for (const record of chosen) {
        const kept = await abandonRecord(record.machine, { ...record, token, profile: terms.profile })
        tell(record, kept, terms.report)
      }
    })
  })
}

async function recordedOn(targets: readonly ShellTarget[], terms: SettlingTerms): Promise<readonly Recorded[]> {
  const machines = machinesOf(targets)
  const recorded = await Promise.all(
    machines.map(async (machine) => recordedIn(machine, await settledObservation(machine, terms))),
  )
  return recorded.flat()
}

/** Former names of targets under which the records were made; these are locked as well. */
function formerNames(records: readonly Recorded[], targets: readonly ShellTarget[]): readonly ShellTarget[] {
  const known =
    ({ target, machine }: Recorded) =>
    (one: ShellTarget) =>
      one.name === target && isSamePlace(one.machine.facts, machine.facts)
  const former = records.filter((record) => !targets.some(known(record)))
  return former
    .filter((record, index) => !former.slice(0, index).some((one) => isSameTarget(one, record)))
    .map(({ target, machine }) => ({ name: target as TargetName, machine }))
}

function isSameTarget(left: Recorded, right: Recorded): boolean {
  return left.target === right.target && left.machine === right.machine
}

function tell(record: Recorded, kept: string, report: Report): void {
  const { target, key, container, machine } = record
  const logs = `${machine.facts.stateDirectory}/targets/${target}/log`
  report(say('given-up', { target, key, container, what: placeOf(record) }))
  report(say('given-up-may-run', { target, key }))
  report(say('given-up-record', { target, record: kept, logs }))
}
