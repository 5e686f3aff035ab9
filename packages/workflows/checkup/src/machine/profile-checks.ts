import type { MachineCondition } from '@davit/target'

import { type Check, found } from '../check.ts'
import { type CheckupTerms, deployAgain, forProfile } from '../terms.ts'
import { countOf } from '../words.ts'

/** Looks at profiles, and at records that were given up. */
export function profileChecks({ broken, givenUp }: MachineCondition, terms: CheckupTerms): readonly Check[] {
  const gone = broken.map(({ target, profile, path }) =>
    found('profiles', 'error', {
      text: `the current profile of '${profile}' on '${target}' is gone${path === '' ? '' : `: ${path}`}`,
      means: 'what is deployed there cannot be read back, and its packages may be gone too',
      remedy: profile === terms.profile ? deployAgain(terms) : `davit-doctor${forProfile({ profile })}`,
    }),
  )
  if (givenUp === 0) return gone
  const finding = {
    text: `${countOf(givenUp, 'record')} of services that nobody could stop ${givenUp === 1 ? 'was' : 'were'} given up`,
    means: 'these services may still run; the records are kept for thirty days',
    remedy: 'davit-journal -v tells which; then davit-collect-garbage --deployed removes old ones',
  }
  return [...gone, found('records', 'note', finding)]
}
