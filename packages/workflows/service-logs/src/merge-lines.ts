interface Timed {
  readonly at: number
}

/**
 * Merges lists by time. Within a list the order stays, even where its times go back; of lines with the same time, those of the earlier list
 * come first.
 */
export function mergeByTime<Line extends Timed>(lists: readonly (readonly Line[])[]): readonly Line[] {
  const numbered = lists.flatMap((lines, list) => {
    let latest = -Infinity
    return lines.map((line, index) => {
      latest = Math.max(latest, line.at)
      return { line, latest, list, index }
    })
  })
  return numbered
    .toSorted((left, right) => left.latest - right.latest || left.list - right.list || left.index - right.index)
    .map(({ line }) => line)
}
