import { DavitError, ExitStatus } from '@davit/diagnostics'

export type AlgorithmKeyword = 'kexalgorithms' | 'ciphers' | 'macs' | 'hostkeyalgorithms'

/** Returns the algorithms of a configured list that ssh2 supports, in the same order. */
export function usableAlgorithms(
  address: string,
  keyword: AlgorithmKeyword,
  wanted: readonly string[],
): readonly string[] {
  const { name, algorithms } = SUPPORTED[keyword]
  const usable = wanted.filter((algorithm) => algorithms.includes(algorithm))
  if (usable.length > 0 || wanted.length === 0) return usable
  throw new DavitError('unsupported-ssh-option', `cannot connect to '${address}': none of its ${name} is supported`, {
    exitStatus: ExitStatus.unreachable,
    hint: `add one of these to ${name}: ${algorithms.join(', ')}`,
  })
}

/** Host key algorithms, in the order in which they are offered if the configuration names none. */
export const HOST_KEY_ALGORITHMS: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
]

interface Supported {
  readonly name: string
  readonly algorithms: readonly string[]
}

const SUPPORTED: Readonly<Record<AlgorithmKeyword, Supported>> = {
  kexalgorithms: {
    name: 'KexAlgorithms',
    algorithms: [
      'curve25519-sha256',
      'curve25519-sha256@libssh.org',
      'ecdh-sha2-nistp256',
      'ecdh-sha2-nistp384',
      'ecdh-sha2-nistp521',
      'diffie-hellman-group-exchange-sha256',
      'diffie-hellman-group14-sha256',
      'diffie-hellman-group16-sha512',
      'diffie-hellman-group18-sha512',
      'diffie-hellman-group-exchange-sha1',
      'diffie-hellman-group14-sha1',
      'diffie-hellman-group1-sha1',
    ],
  },
  ciphers: {
    name: 'Ciphers',
    algorithms: [
      'chacha20-poly1305@openssh.com',
      'aes128-gcm@openssh.com',
      'aes256-gcm@openssh.com',
      'aes128-ctr',
      'aes192-ctr',
      'aes256-ctr',
      'aes128-cbc',
      'aes192-cbc',
      'aes256-cbc',
      '3des-cbc',
    ],
  },
  macs: {
    name: 'MACs',
    algorithms: [
      'hmac-sha2-256-etm@openssh.com',
      'hmac-sha2-512-etm@openssh.com',
      'hmac-sha1-etm@openssh.com',
      'hmac-sha2-256',
      'hmac-sha2-512',
      'hmac-sha1',
      'hmac-sha1-96',
      'hmac-md5',
      'hmac-md5-96',
    ],
  },
  hostkeyalgorithms: { name: 'HostKeyAlgorithms', algorithms: HOST_KEY_ALGORITHMS },
}
