import { readFileSync } from 'node:fs'

/** Parts of the page's script in an order in which each comes after those that it imports from. */
const PARTS = ['data', 'view', 'pointers', 'relations', 'details', 'search', 'main']

/** Returns the script of the page: its modules in one, without their imports and exports. */
export function pageScript(): string {
  const parts = PARTS.map((part) => {
    const lines = read(`${part}.js`).split('\n')
    return lines.flatMap((line) => (line.startsWith('import ') ? [] : [line.replace(/^export /, '')])).join('\n')
  })
  return `(() => {\n'use strict'\n${parts.join('\n')}})()\n`
}

export function pageStyle(): string {
  return read('page.css')
}

function read(name: string): string {
  return readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8')
}
