import { DavitError, ExitStatus } from '@davit/diagnostics'
import { describe } from '@davit/languages'
import * as v from 'valibot'

import { profileName, type ProfileName } from './ids.ts'

/** Parses the name of a deployment as the user typed it. */
export function parseProfileName(text: string): ProfileName {
  const result = v.safeParse(profileName, text)
  if (result.success) return result.output
  throw new DavitError(
    'invalid-name',
    `${describe(text)} is not a valid name for a deployment: ${result.issues[0].message}`,
    {
      exitStatus: ExitStatus.usage,
    },
  )
}
