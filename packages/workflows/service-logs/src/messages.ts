import { messages, note, type Report, warning } from '@davit/diagnostics'

export const say = messages({
  /** Nothing can be read from a target. The logs of the others are shown. */
  'logs-unknown': warning({ target: 'prefix', reason: 'text' }, ({ reason }) => `cannot read its logs: ${reason}`),
  /** While logs were followed, a target was lost. It is tried again and again; what its services print in the meantime is shown afterwards. */
  'logs-interrupted': warning(
    { target: 'prefix', reason: 'text' },
    ({ reason }) => `its logs are interrupted: ${reason}; trying again until it answers`,
  ),
  /** A target whose logs were interrupted answers again. */
  'logs-continue': note({ target: 'prefix' }, () => 'its logs go on'),
  /** The module of a service does not tell where its log is: it is one of Dysnomia, of an earlier version, or one whose services have none. Logs of activities are shown all the same. */
  'no-own-log': note(
    { target: 'prefix', service: 'text', type: 'text' },
    ({ service, type }) =>
      `the module '${type}' tells of no log of '${service}' itself: only those of its activities are shown`,
  ),
  /** The module of a service could not tell where its log is, or print it. */
  'log-module-failed': warning(
    { target: 'prefix', service: 'text', reason: 'text' },
    ({ service, reason }) => `cannot read the log of '${service}': ${reason}`,
  ),
  /** A module gives the place of a log in a way that davit does not know. */
  'strange-log': warning(
    { target: 'prefix', service: 'text', line: 'text' },
    ({ service, line }) =>
      `the module of '${service}' tells of a log as '${line}': expected 'file PATH' or 'program NAME'`,
  ),
  /** Secrets of a service cannot be resolved here, so they are not hidden where its logs contain them, and its module cannot be called. */
  'log-secrets': warning(
    { target: 'prefix', service: 'text', reason: 'text' },
    ({ service, reason }) => `secrets of '${service}' are not hidden in its logs: ${reason}`,
  ),
  /** A log grows faster than it can be read. */
  'log-left-out': note(
    { target: 'prefix', service: 'text', bytes: 'number' },
    ({ service, bytes }) => `${bytes} bytes of a log of '${service}' are left out, as it grows too fast`,
  ),
})

/** What is found out again each time that it is looked which logs there are. */
const LASTING: ReadonlySet<string> = new Set(['no-own-log', 'log-module-failed', 'strange-log', 'log-secrets'])

/** Returns a report that tells the same of these only once. */
export function withoutRepetition(report: Report): Report {
  const told = new Set<string>()
  return (event) => {
    const text = 'code' in event && LASTING.has(event.code) ? JSON.stringify(event) : undefined
    if (text === undefined || !told.has(text)) report(event)
    if (text !== undefined) told.add(text)
  }
}
