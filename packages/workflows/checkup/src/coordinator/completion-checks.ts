import { access, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { type Check, fine, found } from '../check.ts'
import type { CheckupTerms } from '../terms.ts'

type Place = Pick<CheckupTerms, 'environment' | 'executable'>

/** Looks for the completions of the user's shell. */
export async function completionChecks(place: Place): Promise<readonly Check[]> {
  const shell = basename(place.environment['SHELL'] ?? '')
  const file = FILES[shell]
  if (file === undefined) return []
  for (const directory of await shareDirectories(place)) {
    // One after the other: the first is usually right.
    // oxlint-disable-next-line no-await-in-loop
    if (await exists(join(directory, file)))
      return [fine('completion', `${shell} completes options of davit: ${join(directory, file)}`)]
  }
  const finding = {
    text: `no completions for ${shell} were found`,
    means: `${shell} does not complete the options of davit`,
    remedy: 'scripts/install --prefix DIRECTORY, and add DIRECTORY/share to XDG_DATA_DIRS',
  }
  return [found('completion', 'note', finding)]
}

const FILES: Readonly<Partial<Record<string, string>>> = {
  bash: 'bash-completion/completions/davit',
  zsh: 'zsh/site-functions/_davit',
  fish: 'fish/vendor_completions.d/davit.fish',
}

/** Where shells look, and where the installation of this executable has them. */
async function shareDirectories({ environment, executable }: Place): Promise<readonly string[]> {
  const { XDG_DATA_DIRS, XDG_DATA_HOME, HOME = '/' } = environment
  const own = await realpath(executable).catch(() => '')
  return [
    XDG_DATA_HOME || join(HOME, '.local/share'),
    ...(XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(':'),
    ...(own === '' ? [] : [join(dirname(own), '../../../share')]),
  ]
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
