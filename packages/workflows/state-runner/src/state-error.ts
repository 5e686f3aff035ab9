import { DavitError, type Diagnostic } from '@davit/diagnostics'

import type { TaskFailure } from './task.ts'

/** Error of tasks of which some failed: which, why, and how to continue. */
export function stateError(failures: readonly TaskFailure[], message: string, hint: string): DavitError {
  return new DavitError('state-failed', message, {
    hint,
    fields: { services: [...new Set(failures.map(({ task }) => task.stateful.service.name))] },
    diagnostics: failures.map(({ step, message: reason, log }): Diagnostic => ({
      severity: 'error',
      message: `cannot ${step.text} ${step.where}: ${reason}${logText(log)}`,
    })),
  })
}

function logText(log = ''): string {
  const text = log.trimEnd()
  return text === '' ? '' : `\n${text.replace(/^/gm, '    ')}`
}
