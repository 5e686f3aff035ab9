import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { DamagedRecord } from '@davit/target'

/** The error for a target whose profile cannot be read, although it counts. */
export function unreadableProfile(problem: DavitError): DavitError {
  return new DavitError('bad-profile', problem.message, {
    exitStatus: problem.exitStatus,
    diagnostics: problem.diagnostics,
    hint: '--prefer records takes what the records of the target say instead, --partial leaves it out',
  })
}

/** The error for records that cannot be read, of services that the profile of the target does not have. */
export function damagedRecordsError(
  records: readonly DamagedRecord[],
  hint = '--partial leaves these services out; the next deployment settles them',
): DavitError {
  return new DavitError('incomplete-deployment', 'there are damaged records of services that no profile has', {
    diagnostics: records.map(({ target, container, key, problem }) => ({
      severity: 'error',
      message: `the record of ${key} in container '${container}' on '${target}' cannot be read: ${problem}`,
    })),
    hint,
  })
}

/** The error for targets that cannot be read, which names each of them. */
export function unreadableError(failed: ReadonlyMap<TargetName, DavitError>): DavitError {
  const errors = [...failed.values()]
  const [first] = errors
  if (first !== undefined && errors.every((error) => error === first)) return first
  const names = [...failed.keys()].map((name) => `'${name}'`).join(', ')
  return new DavitError(first?.code ?? 'bad-answer', `cannot read ${names}`, {
    exitStatus: Math.max(...errors.map(({ exitStatus }) => exitStatus)),
    diagnostics: [...failed].flatMap(([name, { message, diagnostics }]) => [
      ...diagnostics,
      { severity: 'error' as const, message: `target '${name}': ${message}` },
    ]),
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
  })
}
