import { dirname, resolve } from 'node:path'
import { FETCHED, type StackFinding } from '@davit/stack'

/** Adds to findings of fetched files that cannot be read how these are fetched anew. */
export function withWayOut(findings: readonly StackFinding[], workingDirectory: string): readonly StackFinding[] {
  return findings.map((one) => {
    const file = resolve(workingDirectory, unreadFile(one) ?? '')
    if (!file.includes(`/${FETCHED[0]}/`)) return one
    const wayOut = `if it is not as it was fetched: --update fetches it anew, or remove '${dirname(file)}', and run the same command`
    return { ...one, hint: one.hint === undefined ? wayOut : `${one.hint}; ${wayOut}` }
  })
}

/** Returns the file that a finding calls unreadable or no document. */
function unreadFile({ code, subjects, place }: StackFinding): string | undefined {
  if (code === 'MU150') return String(subjects[0])
  return code === 'MU151' ? place?.file : undefined
}
