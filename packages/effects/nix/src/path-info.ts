import type { StorePath } from '@davit/documents'

/** What a Nix store knows of a valid path. */
export interface PathInfo {
  readonly path: StorePath
  readonly deriver?: StorePath
  readonly references: readonly StorePath[]
  /** Bytes of its archive (NAR). */
  readonly narSize: number
  /** Of the archive: `sha256:` and the digest in base 32 of Nix. */
  readonly narHash: string
  /** What its path is made of, for one that is named by its content; empty for others. */
  readonly contentAddress: string
  readonly signatures: readonly string[]
}
