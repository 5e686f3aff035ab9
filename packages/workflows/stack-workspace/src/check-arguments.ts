import { DavitError, ExitStatus, quoted, type Report } from '@davit/diagnostics'
import { readArguments } from '@davit/stack'
import { say } from './messages.ts'

/** Refuses words behind `--` that name no argument, and tells which arguments are given more than once. */
export function checkArguments(words: readonly string[], report: Report): void {
  const names = readArguments(words).map(({ name, word }) => {
    if (name !== '') return name
    throw new DavitError('usage', `the argument ${quoted(word)} has no name`, {
      exitStatus: ExitStatus.usage,
      hint: 'arguments are NAME=VALUE, --NAME VALUE, or --NAME alone',
    })
  })
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) < index))
  for (const name of repeated) report(say('argument-given-again', { name }))
}
