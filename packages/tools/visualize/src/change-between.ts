import type { Manifest } from '@davit/documents'
import { type Changes, changesBetween, changesIn } from '@davit/picture'

export interface Titled {
  readonly manifest: Manifest
  readonly title: string
}

/** Finds what changes on the way from one manifest to another; loaded only if there are two. */
export function changeBetween(from: Titled, to: Titled): Titled & { readonly changes: Changes } {
  const changes = changesBetween(from.manifest, to.manifest)
  return { manifest: to.manifest, title: `${from.title} to ${to.title}`, changes }
}

export const changesOfPlan = changesIn
