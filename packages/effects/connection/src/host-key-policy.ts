import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DavitError, ExitStatus, type Report } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'
import { hostKeyRefusal, showKey, smallKey } from './host-key-refusal.ts'
import {
  hashHostName,
  type HostKeyVerdict,
  judgeHostKey,
  keyTypeOf,
  knownKeyTypes,
  type KnownHost,
  parseKnownHosts,
} from './known-hosts.ts'
import { say } from './messages.ts'
import { isSmall } from './rsa-size.ts'
import { HOST_KEY_ALGORITHMS } from './ssh-algorithms.ts'
import type { SshConfiguration } from './ssh-configuration.ts'

export interface HostKeyPolicy {
  /** Algorithms to offer, those of known keys first: otherwise a host known by its RSA key would look unknown. */
  readonly algorithms: readonly string[]
  /** Returns why a key is refused; nothing for a good one. */
  check(key: Buffer): DavitError | undefined
  /** Records a key that was accepted as new. Call it once the host has proved that it owns the key. */
  remember(key: Buffer): Promise<void>
}

export async function hostKeyPolicy(
  configuration: SshConfiguration,
  report: Report = () => {},
): Promise<HostKeyPolicy> {
  const { hostKeyNames, unknownHosts } = configuration
  const entries = await knownHostsFor(configuration)
  const judge = (key: Buffer): HostKeyVerdict => judgeHostKey(entries, hostKeyNames, key)
  return {
    algorithms: orderedAlgorithms(configuration, knownKeyTypes(entries, hostKeyNames)),
    check(key) {
      if (isSmall(configuration, key)) return smallKey(configuration, key)
      const verdict = judge(key)
      if (verdict.kind === 'known' || (verdict.kind === 'unknown' && unknownHosts === 'accept-new')) return undefined
      return hostKeyRefusal(configuration, verdict, key)
    },
    async remember(key) {
      if (judge(key).kind !== 'unknown') return
      const file = await append(configuration, key)
      report(say('host-key-added', { address: configuration.address, key: showKey(key), file }))
    },
  }
}

/** Reads all files of known hosts that a configuration names. */
export async function knownHostsFor(configuration: SshConfiguration): Promise<readonly KnownHost[]> {
  const { userKnownHostsFiles, globalKnownHostsFiles } = configuration
  const read = (file: string): Promise<readonly KnownHost[]> => readKnownHosts(configuration, file)
  return (await Promise.all([...userKnownHostsFiles, ...globalKnownHostsFiles].map(read))).flat()
}

/** A missing file lists no host. An unreadable one is an error, since it may list the host or revoke its key. */
async function readKnownHosts({ address }: SshConfiguration, file: string): Promise<readonly KnownHost[]> {
  try {
    return parseKnownHosts(file, await readFile(file, 'utf8'))
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return []
    throw new DavitError(
      'known-hosts',
      `cannot check the host key of '${address}': cannot read '${file}': ${reasonOf(cause)}`,
      {
        exitStatus: ExitStatus.permission,
        hint: 'check the permissions of that file, or name another one with UserKnownHostsFile or GlobalKnownHostsFile in the ssh configuration',
        cause,
      },
    )
  }
}

function orderedAlgorithms(
  { hostKeyAlgorithms }: SshConfiguration,
  knownTypes: ReadonlySet<string>,
): readonly string[] {
  const usable = hostKeyAlgorithms.length > 0 ? hostKeyAlgorithms : HOST_KEY_ALGORITHMS
  const isKnown = (algorithm: string): boolean => knownTypes.has(algorithm.replace(/^rsa-sha2-.*/, 'ssh-rsa'))
  return [...usable.filter(isKnown), ...usable.filter((algorithm) => !isKnown(algorithm))]
}

async function append(configuration: SshConfiguration, key: Buffer): Promise<string | undefined> {
  const { userKnownHostsFiles, hostKeyNames, hashKnownHosts } = configuration
  const [file] = userKnownHostsFiles
  if (file === undefined) return undefined
  const [name] = hostKeyNames
  const written = hashKnownHosts ? hashHostName(name, randomBytes(20)) : name
  const line = `${written} ${keyTypeOf(key)} ${key.toString('base64')}\n`
  try {
    // Only that one directory, as OpenSSH does.
    await mkdir(dirname(file), { mode: 0o700 }).catch(() => {})
    await appendFile(file, `${await missingNewline(file)}${line}`, { mode: 0o600 })
  } catch (cause) {
    const what = `cannot add the host key of '${configuration.address}' to '${file}'`
    throw new DavitError('known-hosts', `${what}: ${reasonOf(cause)}`, { exitStatus: ExitStatus.permission, cause })
  }
  return file
}

async function missingNewline(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text === '' || text.endsWith('\n') ? '' : '\n'
}
