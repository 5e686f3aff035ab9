import { byId, data, placeOf } from './data.js'
import { emphasize, neighboursOf } from './relations.js'

const panel = byId('details')
const hint = [...panel.childNodes]

/** The instance that has the focus or was found; it is shown while the pointer is nowhere else. */
let chosen = /** @type {number | undefined} */ (undefined)

/**
 * Chooses an instance, or none.
 * @param {number | undefined} index
 */
export function choose(index) {
  chosen = index
  show(index)
}

/**
 * Shows an instance for as long as the pointer is there; without one, the chosen one again.
 * @param {number | undefined} index
 */
export function show(index = chosen) {
  emphasize(index)
  panel.replaceChildren(...(index === undefined ? hint : detailsOf(index)))
  panel.scrollTop = 0
}

/** @param {number} index */
function detailsOf(index) {
  const instance = data.instances[index]
  if (instance === undefined) return []
  const { container, target } = placeOf(instance)
  const inside = data.containers[instance.container]
  const machine = inside === undefined ? undefined : data.targets[inside.target]
  return [
    element('h2', instance.name),
    element('p', container === '' ? `on ${target}` : `in ${container} on ${target}`),
    ...instance.told.map((line) => element('p', line, 'told')),
    ...section('provides', instance.provides),
    ...section('needs', namesOf(index, 'needs')),
    ...section('needed by', namesOf(index, 'needed')),
    facts(instance.facts),
    ...titled(container === '' ? '' : `container ${container}`, inside?.facts ?? []),
    ...titled(`target ${target}`, machine === undefined ? [] : [['address', machine.address], ...machine.facts]),
  ]
}

/**
 * @param {string} title
 * @param {import('./data.js').Fact[]} list
 */
function titled(title, list) {
  return title === '' || list.length === 0 ? [] : [element('h3', title), facts(list)]
}

/**
 * @param {number} index
 * @param {'needs' | 'needed'} direction
 */
function namesOf(index, direction) {
  return neighboursOf(index, direction).map((other) => {
    const instance = data.instances[other]
    return instance === undefined ? '' : `${instance.name} on ${placeOf(instance).target}`
  })
}

/**
 * @param {string} title
 * @param {string[]} items
 */
function section(title, items) {
  if (items.length === 0) return []
  const list = document.createElement('ul')
  list.append(...items.slice(0, MOST).map((item) => element('li', item)))
  if (items.length > MOST) list.append(element('li', `and ${items.length - MOST} more`))
  return [element('h3', title), list]
}

const MOST = 50

/** @param {import('./data.js').Fact[]} list */
function facts(list) {
  const table = document.createElement('dl')
  for (const [name, text] of list) table.append(element('dt', name), element('dd', text))
  return table
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} [kind]
 */
function element(name, text, kind = '') {
  const made = document.createElement(name)
  made.textContent = text
  if (kind !== '') made.className = kind
  return made
}
