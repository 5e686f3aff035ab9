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

export function alteredChecks(
  { altered, marked, aside, unchecked }: AlteredPackages,
  terms: Pick<CheckupTerms, 'profile' | 'store'>,
): readonly Check[] {
  const { directory } = terms.store
  const shown = altered.slice(0, SHOWN).map(({ path, what }) =>
    found('packages', 'warning', {
      text: `'${path}' is not what it was when it was made: ${what}`,
      means: 'what runs from it may not be what was deployed, and it is not sent to other machines',
      remedy: `davit-env --repair${forProfile(terms)}, with the models; a program that writes there needs a directory of its own, such as stateDirectory`,
    }),
  )
  const more = altered.length - shown.length
  return [
    ...(altered.length === 0 ? [fine('packages', `nothing was written into the packages in ${directory}`)] : shown),
    ...(more > 0
      ? [
          found('packages', 'warning', {
            text: `${countOf(more, 'other package')} in ${directory} ${more === 1 ? 'is' : 'are'} not what they were either`,
            means: 'if all are named, the store was copied without the times of files',
            remedy: `davit-env --repair${forProfile(terms)}, with the models`,
          }),
        ]
      : []),
    ...marked.map((path) =>
      found('packages', 'warning', {
        text: `'${path}' was altered, and waits to be made or sent again`,
        means: 'it is not used for deployments',
        remedy: `davit-env${forProfile(terms)}, with the models`,
      }),
    ),
    ...asideChecks(aside, directory),
    ...(unchecked === 0
      ? []
      : [
          found('packages', 'note', {
            text: `${countOf(unchecked, 'package')} could not be looked at within ${PATIENCE_SECONDS} seconds`,
            means: 'packages are compared with their hashes when they are sent',
          }),
        ]),
  ]
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
