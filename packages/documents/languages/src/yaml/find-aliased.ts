import { type Alias, type Document, isAlias, isMap, isNode, isSeq, type Node } from 'yaml'

/**
 * Finds the node of each alias: the last one before it with an anchor of that name. The library would search the
 * whole document for every alias.
 */
export function findAliased({ contents }: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>()
  const aliased = new Map<Alias, Node>()
  // An explicit stack: the text may nest deeper than the call stack allows.
  const waiting: unknown[] = [contents]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target !== undefined) aliased.set(node, target)
    } else if (isNode(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
      for (const part of partsOf(node).toReversed()) waiting.push(part)
    }
  }
  return aliased
}

function partsOf(node: Node): unknown[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value])
  return isSeq(node) ? node.items : []
}
