import type { StorePath } from '@davit/documents'

/** What a Nix store knows about a valid path. */
export interface PathInfo {
  readonly path: StorePath
  readonly deriver?: StorePath
  readonly references: readonly StorePath[]
  /** Bytes of its archive (NAR). */
  readonly narSize: number
  /** Hash of the archive: `sha256:` and the digest in the base 32 of Nix. */
  readonly narHash: string
  /** What the path is derived from, if it is named by its content; empty for others. */
  readonly contentAddress: string
  readonly signatures: readonly string[]
}
