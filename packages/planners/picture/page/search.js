import { byId, data, instanceElements, placeOf } from './data.js'
import { choose } from './details.js'
import { reveal } from './view.js'

const field = /** @type {HTMLInputElement} */ (byId('search'))

/** What instances are found by. */
const texts = data.instances.map((instance) => {
  const { container, target } = placeOf(instance)
  return [instance.name, container, target, ...instance.provides, ...instance.told].join(' ').toLowerCase()
})

/** Numbers of the instances that were found, and the position of the one that is shown. */
let [found, position] = [/** @type {number[]} */ ([]), -1]

/** Lets services be found by words that occur in their names, containers, targets and changes. */
export function listenToSearch() {
  field.addEventListener('input', search)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') next(event.shiftKey ? -1 : 1)
    if (event.key === 'Escape') clear()
  })
  field.form?.addEventListener('submit', (event) => event.preventDefault())
}

export function focusSearch() {
  field.focus()
  field.select()
}

function clear() {
  field.value = ''
  search()
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (/** @type {string} */ text) => words.every((word) => text.includes(word))
  found = words.length === 0 ? [] : texts.flatMap((text, index) => (isFound(text) ? [index] : []))
  position = -1
  document.body.classList.toggle('searching', words.length > 0)
  for (const one of document.querySelectorAll('.hit')) one.classList.remove('hit')
  for (const index of found) instanceElements[index]?.classList.add('hit')
  choose(undefined)
  tell(words.length > 0)
}

/** @param {number} step */
function next(step) {
  if (found.length === 0) return
  position = (position < 0 && step < 0 ? found.length - 1 : position + step + found.length) % found.length
  const index = found[position]
  const element = index === undefined ? undefined : instanceElements[index]
  if (element === undefined) return
  choose(index)
  reveal(element, 'center')
  tell(true)
}

/** @param {boolean} isSearching */
function tell(isSearching) {
  const count = position < 0 ? `${found.length} found` : `${position + 1} of ${found.length}`
  byId('found').textContent = isSearching ? count : ''
}
