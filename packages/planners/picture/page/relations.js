import { data, edgeElements, instanceElements } from './data.js'

/** Numbers of the lines that begin, or end, at each instance. */
const [leaving, arriving] = [
  /** @type {number[][]} */ (data.instances.map(() => [])),
  /** @type {number[][]} */ (data.instances.map(() => [])),
]
data.edges.forEach(([from, to, kind], index) => {
  if (kind === 'moves') return
  leaving[from]?.push(index)
  arriving[to]?.push(index)
})

/**
 * Returns the instances that one is directly connected with.
 * @param {number} index
 * @param {'needs' | 'needed'} direction
 */
export function neighboursOf(index, direction) {
  const end = direction === 'needs' ? 1 : 0
  return [...new Set(edgesAt(index, direction).map((edge) => data.edges[edge]?.[end] ?? index))]
}

/**
 * Emphasizes an instance with all that it needs and all that needs it, directly or not, and where it moves; without one, nothing.
 * @param {number | undefined} index
 */
export function emphasize(index) {
  for (const one of document.querySelectorAll('.on')) one.classList.remove('on', 'needs', 'needed', 'chosen')
  document.body.classList.toggle('emphasizing', index !== undefined)
  if (index === undefined) return
  instanceElements[index]?.classList.add('on', 'chosen')
  follow(index, 'needs')
  follow(index, 'needed')
  data.edges.forEach(([from, to, kind], edge) => {
    if (kind !== 'moves' || (from !== index && to !== index)) return
    for (const one of [edgeElements[edge], instanceElements[from], instanceElements[to]]) one?.classList.add('on')
  })
}

/**
 * @param {number} start
 * @param {'needs' | 'needed'} direction
 */
function follow(start, direction) {
  const seen = new Set([start])
  for (const index of seen) {
    for (const edge of edgesAt(index, direction)) edgeElements[edge]?.classList.add('on')
    for (const next of neighboursOf(index, direction)) seen.add(next)
  }
  seen.delete(start)
  for (const index of seen) instanceElements[index]?.classList.add('on', direction)
}

/**
 * @param {number} index
 * @param {'needs' | 'needed'} direction
 */
function edgesAt(index, direction) {
  return (direction === 'needs' ? leaving : arriving)[index] ?? []
}
