import { readFile } from 'node:fs/promises'
import type { BaseAgent, ParsedKey } from 'ssh2'
import { loadSsh2 } from './load-ssh2.ts'
import { rsaSize } from './rsa-size.ts'
import type { SshConfiguration } from './ssh-configuration.ts'

/** Keys to authenticate with, in the order in which OpenSSH tries them. */
export interface Identities {
  /** Keys of the agent: those of the configured files first. */
  readonly agent: { readonly socket: string; readonly keys: readonly ParsedKey[] } | undefined
  readonly keys: readonly { readonly file: string; readonly key: ParsedKey }[]
  /** Why configured keys could not be used. */
  readonly problems: readonly string[]
}

export async function readIdentities(configuration: SshConfiguration): Promise<Identities> {
  const problems: string[] = []
  const [agentKeys, files] = await Promise.all([
    readAgentKeys(configuration.agent, problems),
    Promise.all(configuration.identityFiles.map((file) => readIdentityFile(file, configuration.identitiesNamed))),
  ])
  const blobs = files.map((file) => file.publicKey)
  const rank = (key: ParsedKey): number => blobs.findIndex((blob) => blob?.equals(key.getPublicSSH()))
  const configured = agentKeys.filter((key) => rank(key) !== -1).toSorted((left, right) => rank(left) - rank(right))
  const others = configuration.identitiesOnly ? [] : agentKeys.filter((key) => rank(key) === -1)
  const inAgent = (blob: Buffer | undefined): boolean => agentKeys.some((key) => blob?.equals(key.getPublicSSH()))
  const unused = files.filter((file) => !inAgent(file.publicKey))
  const socket = configuration.agent
  const usable = (name: string, key: ParsedKey): boolean => {
    const problem = refusalOf(configuration, key)
    if (problem !== undefined) problems.push(`${name} ${problem}`)
    return problem === undefined
  }
  const ofAgent = [...configured, ...others].filter((key) => usable(`the key '${key.comment}' of the agent`, key))
  const ofFiles = unused.flatMap(({ file, key }) =>
    key === undefined || !usable(`'${file}'`, key) ? [] : [{ file, key }],
  )
  return {
    agent: socket === undefined ? undefined : { socket, keys: ofAgent },
    keys: ofFiles,
    problems: [
      ...problems,
      ...unused.flatMap(({ problem }) => problem ?? []),
      ...configuration.keyProviders.map(
        (file) => `PKCS11Provider '${file}' is not supported (add its keys to the agent)`,
      ),
      ...configuration.certificateFiles.map((file) => `'${file}' is a certificate, which is not supported`),
    ],
  }
}

/** Returns why the configuration forbids a key. RSA keys sign with rsa-sha2-256 in ssh2. */
function refusalOf(configuration: SshConfiguration, key: ParsedKey): string | undefined {
  const { pubkeyAlgorithms, requiredRsaSize } = configuration
  const blob = key.getPublicSSH()
  const size = rsaSize(blob)
  if (size !== undefined && size < requiredRsaSize) return `has ${size} bits, but RequiredRSASize is ${requiredRsaSize}`
  const algorithm = size === undefined ? key.type : 'rsa-sha2-256'
  if (pubkeyAlgorithms.length === 0 || pubkeyAlgorithms.includes(algorithm)) return undefined
  return `would sign with ${algorithm}, which PubkeyAcceptedAlgorithms does not list`
}

interface IdentityFile {
  readonly file: string
  readonly key?: ParsedKey
  readonly publicKey?: Buffer
  readonly problem?: string
}

/** Reads a key file. A file that the user has not named is one of OpenSSH's defaults, and may be missing. */
async function readIdentityFile(file: string, isNamed: boolean): Promise<IdentityFile> {
  const [content, publicContent] = await Promise.all([readIfThere(file), readIfThere(`${file}.pub`)])
  const publicKey = publicContent instanceof Buffer ? await parseKey(publicContent) : undefined
  const blob = publicKey === undefined || publicKey instanceof Error ? {} : { publicKey: publicKey.getPublicSSH() }
  if (content === undefined) return { file, ...blob, ...missing(file, isNamed) }
  const key = content instanceof Error ? content : await parseKey(content)
  if (key instanceof Error) return { file, ...blob, problem: problemOf(file, key) }
  const known = { file, publicKey: key.getPublicSSH() }
  return key.isPrivateKey() ? { ...known, key } : known
}

function missing(file: string, isNamed: boolean): Pick<IdentityFile, 'problem'> {
  return isNamed ? { problem: `'${file}' does not exist` } : {}
}

function problemOf(file: string, error: Error): string {
  if (/passphrase/.test(error.message)) return `'${file}' is encrypted (add it to the agent with ssh-add)`
  if (/unsupported/i.test(error.message) && /\bsk-/i.test(error.message))
    return `'${file}' needs a hardware key, which is not supported`
  return `cannot use '${file}': ${error.message}`
}

async function readIfThere(file: string): Promise<Buffer | Error | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error))
    return 'code' in failed && failed.code === 'ENOENT' ? undefined : failed
  }
}

async function parseKey(content: Buffer): Promise<ParsedKey | Error> {
  const { utils } = await loadSsh2()
  // The types of ssh2 do not say that a file may contain several keys.
  const parsed: ParsedKey | Error | ParsedKey[] = utils.parseKey(content)
  return Array.isArray(parsed) ? (parsed[0] ?? new Error('it contains no key')) : parsed
}

async function readAgentKeys(socket: string | undefined, problems: string[]): Promise<readonly ParsedKey[]> {
  if (socket === undefined) return []
  const { createAgent } = await loadSsh2()
  const agent: BaseAgent = createAgent(socket)
  return new Promise((resolve) => {
    agent.getIdentities((error, keys) => {
      if (error) problems.push(`cannot reach the agent at '${socket}'`)
      resolve((keys ?? []) as readonly ParsedKey[])
    })
  })
}
