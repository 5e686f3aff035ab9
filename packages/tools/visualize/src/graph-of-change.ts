import type { Manifest } from '@davit/documents'
import { changesBetween, type Graph, graphOf } from '@davit/picture'

export interface Titled {
  readonly manifest: Manifest
  readonly title: string
}

/** Makes the graph of the way from one manifest to another; loaded only if there are two. */
export function graphOfChange(from: Titled, to: Titled): Graph {
  const changes = changesBetween(from.manifest, to.manifest)
  return graphOf(to.manifest, { title: `${from.title} to ${to.title}`, changes })
}
