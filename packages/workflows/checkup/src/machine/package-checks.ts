import { shellWord } from '@davit/diagnostics'
import { type AlteredPackages, findAltered, type Machine } from '@davit/target'

import { type Check, fine, found } from '../check.ts'
import { type CheckupTerms, forProfile } from '../terms.ts'
import { countOf } from '../words.ts'

/** How long a machine looks at its packages. */
const PATIENCE_SECONDS = 20

/** Looks for packages into which something was written. Nix looks after its own. */
export async function packageChecks(machine: Machine<'check'>, terms: CheckupTerms): Promise<readonly Check[]> {
  const { kind, directory } = terms.store
  if (kind === 'nix' || machine.client !== undefined) return []
  return alteredChecks(await findAltered(machine, { directory, seconds: PATIENCE_SECONDS }), terms)
}

export function alteredChecks({ altered, marked, aside, unchecked }: AlteredPackages, terms: Terms): readonly Check[] {
  const { directory } = terms.store
  return [
    ...(altered.length === 0
      ? [fine('packages', `nothing was written into the packages in ${directory}`)]
      : altered.slice(0, SHOWN).map((one) => alteredCheck(one, terms))),
    ...(altered.length > SHOWN ? [othersCheck(altered.length - SHOWN, terms)] : []),
    ...marked.map((path) =>
      found('packages', 'warning', {
        text: `'${path}' was altered, and waits to be made or sent again`,
        means: 'it is not used for deployments',
        remedy: `davit-env${forProfile(terms)}, with the models`,
      }),
    ),
    ...asideChecks(aside, directory),
    ...uncheckedChecks(unchecked),
  ]
}

type Terms = Pick<CheckupTerms, 'profile' | 'store'>

function alteredCheck({ path, what }: AlteredPackages['altered'][number], terms: Terms): Check {
  return found('packages', 'warning', {
    text: `'${path}' is not what it was when it was made: ${what}`,
    means: 'what runs from it may not be what was deployed, and it is not sent to other machines',
    remedy: `davit-env --repair${forProfile(terms)}, with the models; a program that writes there needs a directory of its own, such as stateDirectory`,
  })
}

function othersCheck(count: number, terms: Terms): Check {
  return found('packages', 'warning', {
    text: `${countOf(count, 'other package')} in ${terms.store.directory} ${count === 1 ? 'is' : 'are'} not what they were either`,
    means: 'if all are named, the store was copied without the times of files',
    remedy: `davit-env --repair${forProfile(terms)}, with the models`,
  })
}

function uncheckedChecks(unchecked: number): readonly Check[] {
  if (unchecked === 0) return []
  const finding = {
    text: `${countOf(unchecked, 'package')} could not be looked at within ${PATIENCE_SECONDS} seconds`,
    means: 'packages are compared with their hashes when they are sent',
  }
  return [found('packages', 'note', finding)]
}

const SHOWN = 10

function asideChecks(aside: number, directory: string): readonly Check[] {
  if (aside === 0) return []
  const place = `${directory}/.davit/set-aside`
  const finding = {
    text: `'${place}' has ${countOf(aside, 'package')} as ${aside === 1 ? 'it was' : 'they were'} altered`,
    means: 'programs may have written data into it, and those that still run from there do',
    remedy: `take out what you need, then rm -r ${shellWord(place)}`,
  }
  return [found('packages', 'note', finding)]
}
