/**
 * @typedef {readonly [name: string, text: string]} Fact
 * @typedef {{ name: string, address: string, facts: Fact[] }} Target
 * @typedef {{ name: string, target: number, facts: Fact[] }} Container
 * @typedef {{ name: string, container: number, provides: string[], facts: Fact[], told: string[] }} Instance
 * @typedef {{ targets: Target[], containers: Container[], instances: Instance[], edges: (readonly [from: number, to: number, kind: string])[] }} Data
 */

/**
 * Returns the element with an identifier.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`no element '${id}'`)
  return found
}

/** @type {Data} */
export const data = JSON.parse(byId('data').textContent ?? '')

/** Elements of the instances, in their order in the data. */
export const instanceElements = /** @type {SVGGElement[]} */ ([...document.querySelectorAll('#stage .instance')])

/** Elements of the lines, in their order in the data. */
export const edgeElements = /** @type {SVGPathElement[]} */ ([...document.querySelectorAll('#stage .edge')])

/**
 * Returns where an instance is: its container, if containers are shown, and its target.
 * @param {Instance} instance
 */
export function placeOf({ container }) {
  const { name, target } = data.containers[container] ?? { name: '', target: 0 }
  return { container: name, target: data.targets[target]?.name ?? '' }
}
