import { byId, instanceElements } from './data.js'
import { choose, show } from './details.js'
import { listenToPointers } from './pointers.js'
import { focusSearch, listenToSearch } from './search.js'
import { begin, fit, pan, reveal, zoom } from './view.js'

const STEP = 60
const FACTOR = 1.25

/** What keys do anywhere but in the search field. */
const KEYS = new Map([
  ['+', () => zoom(FACTOR)],
  ['=', () => zoom(FACTOR)],
  ['-', () => zoom(1 / FACTOR)],
  ['0', fit],
  ['/', focusSearch],
  ['Escape', () => choose(undefined)],
  ['ArrowLeft', () => pan(-STEP, 0)],
  ['ArrowRight', () => pan(STEP, 0)],
  ['ArrowUp', () => pan(0, -STEP)],
  ['ArrowDown', () => pan(0, STEP)],
])

document.addEventListener('keydown', (event) => {
  const act = KEYS.get(event.key)
  if (act === undefined || event.target instanceof HTMLInputElement) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  act()
})

byId('in').addEventListener('click', () => zoom(FACTOR))
byId('out').addEventListener('click', () => zoom(1 / FACTOR))
byId('all').addEventListener('click', fit)

instanceElements.forEach((element, index) => {
  const title = element.querySelector('title')
  element.setAttribute('tabindex', '0')
  element.setAttribute('role', 'img')
  element.setAttribute('aria-label', title?.textContent ?? '')
  // The details tell more than a tooltip, which would hide the picture.
  title?.remove()
  element.addEventListener('pointerenter', () => show(index))
  element.addEventListener('pointerleave', () => show())
  element.addEventListener('focus', () => {
    choose(index)
    reveal(element, 'if-hidden')
  })
})

listenToPointers()
listenToSearch()
begin()
