import { printable } from '@davit/diagnostics'

/** Returns the last lines of what a script that moves a stream has written on standard error, as a reason. */
export function complaintIn(errors: string): string {
  return printable(errors.trim().split('\n').slice(-3).join('; ')) || 'the stream was cut off'
}
