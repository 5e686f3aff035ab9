import { createHash } from 'node:crypto'

import type { Graph } from './graph.ts'
import { legendOf } from './legend.ts'
import { element, escaped } from './markup.ts'
import { pageData } from './page-data.ts'
import { pageScript, pageStyle } from './page-parts.ts'
import { drawnGraph, TIPS } from './render-svg.ts'
import { pictureStyle } from './style.ts'

/** Draws a graph as a page that needs nothing else, and may load nothing else. */
export function renderPage(graph: Graph): string {
  const [style, script] = [`\n${pictureStyle()}${pageStyle()}`, `\n${pageScript()}`]
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(graph.title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1 title="${escaped(graph.title)}">${escaped(graph.title)}</h1>
${SEARCH}
${BUTTONS}
</header>
<main id="stage" aria-label="picture">${pictureOf(graph)}</main>
<ul id="legend">${legend(graph)}</ul>
<aside id="details" aria-label="details">${HINT}</aside>
<script type="application/json" id="data">${pageData(graph)}</script>
<script>${script}</script>
</body>
</html>
`
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

const SEARCH = `<form role="search">
<input type="search" id="search" placeholder="Search (/)" aria-label="Search" autocomplete="off" spellcheck="false">
<output id="found" for="search"></output>
</form>`

const BUTTONS = `<div>
<button id="out" aria-label="Zoom out" title="Zoom out (-)">&minus;</button>
<button id="in" aria-label="Zoom in" title="Zoom in (+)">+</button>
<button id="all" title="Show everything (0)">All</button>
</div>`

const HINT = `<p>Point at a service, or go there with <kbd>Tab</kbd>, to see what it needs and what needs it.</p>
<p><kbd>/</kbd> searches, and <kbd>Enter</kbd> goes to the next service that was found.</p>
<p><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> and the wheel zoom; arrow keys and dragging move.</p>`

function pictureOf(graph: Graph): string {
  const { size, content } = drawnGraph(graph)
  const view = element('g', { id: 'view', 'data-width': size.width, 'data-height': size.height }, `\n${content}`)
  return element('svg', {}, `${TIPS}${view}`)
}

function legend(graph: Graph): string {
  return legendOf(graph)
    .map(({ sample, word }) => `<li>${element('svg', { width: 30, height: 16 }, sample)}${escaped(word)}</li>`)
    .join('')
}
