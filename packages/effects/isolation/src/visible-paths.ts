import { existsSync, lstatSync, readlinkSync } from 'node:fs'

/** A path of a machine that programs see; on many machines, `/lib` and the like are links. */
export interface VisiblePath {
  readonly path: string
  readonly link?: string
  /** Whether a machine without it is fine. */
  readonly isOptional?: boolean
}

/** Where programs and their libraries are. */
export const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

const JAVAS = Array.from({ length: 40 }, (_, index) => `/etc/java-${index + 8}-openjdk`)

/** What compilers, interpreters and build tools read. None of it may be secret, since nobody can tell who reads it. */
const SETTINGS = `
  alternatives crypto-policies debian_version fonts ld.so.cache ld.so.conf ld.so.conf.d localtime
  magic maven/logging maven/m2.conf mime.types os-release pki/ca-trust/extracted pki/tls/cert.pem
  pki/tls/certs pki/tls/openssl.cnf protocols rpc services ssl/cert.pem ssl/certs ssl/openssl.cnf
  timezone
`
  .trim()
  .split(/\s+/)
  .map((name) => `/etc/${name}`)

/** What a program with network needs in addition. */
const NETWORK = ['/etc/gai.conf', '/etc/host.conf', '/etc/hosts', '/etc/resolv.conf']

/** Every path that a view may show. */
export const CANDIDATES: readonly string[] = [...PROGRAMS, ...SETTINGS, ...JAVAS, ...NETWORK]

export function needsNetwork(path: string): boolean {
  return NETWORK.includes(path)
}

/** Returns those of the candidates, and of other paths, that this machine has. */
export function visibleHere(others: readonly string[]): readonly VisiblePath[] {
  return [...CANDIDATES, ...others].filter((path) => existsSync(path)).map(visiblePath)
}

function visiblePath(path: string): VisiblePath {
  return PROGRAMS.includes(path) && lstatSync(path).isSymbolicLink() ? { path, link: readlinkSync(path) } : { path }
}
