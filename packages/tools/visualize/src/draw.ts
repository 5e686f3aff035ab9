import { type Graph, renderPage, renderSvg, withoutContainers } from '@davit/picture'

const RENDERERS = { svg: renderSvg, html: renderPage }

/** Draws a graph in a format for which places are needed; loaded for these only. */
export function draw(graph: Graph, format: keyof typeof RENDERERS, options: { readonly containers: boolean }): string {
  return RENDERERS[format](options.containers ? graph : withoutContainers(graph))
}
