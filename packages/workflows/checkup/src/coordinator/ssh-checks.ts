import { shellWord } from '@davit/diagnostics'
import { type SshCredentials, sshCredentials } from '@davit/connection'
import type { Infrastructure } from '@davit/documents'
import { interfaceKindOf } from '@davit/target'

import { type Check, fine, found } from '../check.ts'
import type { CheckupTerms } from '../terms.ts'
import { countOf } from '../words.ts'

/** Looks at the ssh program, its configuration, keys and agent. */
export async function sshChecks(terms: CheckupTerms): Promise<readonly Check[]> {
  const [address = 'localhost'] = addressesIn(terms.infrastructure)
  const credentials = await sshCredentials(address, terms)
  return [fine('ssh', credentials.version), ...keyChecks(credentials, terms)]
}

/** Addresses that are reached over ssh; one that is wrong is a finding of its target. */
function addressesIn(infrastructure: Infrastructure): readonly string[] {
  return [...infrastructure.values()].flatMap(({ clientInterface, properties, targetProperty }) => {
    const address = properties.get(targetProperty)
    return interfaceKindOf(clientInterface) === 'ssh' && typeof address === 'string' ? [address] : []
  })
}

export function keyChecks(
  { agent, keyFiles, exposed, problems }: Omit<SshCredentials, 'version'>,
  { infrastructure }: Pick<CheckupTerms, 'infrastructure'>,
): readonly Check[] {
  const places = [...(agent === undefined ? [] : [`${countOf(agent.keys, 'key')} in the agent`]), ...keyFiles]
  const isNeeded = addressesIn(infrastructure).length > 0
  // There are targets, and none of them is reached over ssh.
  const isMoot = !isNeeded && infrastructure.size > 0
  const hasKeys = keyFiles.length > 0 || (agent?.keys ?? 0) > 0
  return [
    ...(hasKeys ? [fine('keys', places.join(', '))] : isMoot ? [] : [noKeys(isNeeded)]),
    ...exposed.map((file) =>
      found('keys', 'warning', {
        text: `other accounts may read the private key ${file}`,
        means: 'ssh refuses to use it',
        remedy: `chmod 600 ${shellWord(file)}`,
      }),
    ),
    ...problems.map((text) =>
      found('keys', hasKeys || isMoot ? 'note' : 'warning', {
        text,
        means: 'davit logs in with the other keys, if there are any',
      }),
    ),
  ]
}

function noKeys(isNeeded: boolean): Check {
  return found('keys', isNeeded ? 'warning' : 'note', {
    text: 'there is no private key, and no agent with one',
    means: isNeeded
      ? 'targets can be reached only where the ssh configuration names a key'
      : 'targets over ssh need one',
    remedy: 'ssh-keygen -t ed25519, then ssh-copy-id to each target',
  })
}
