import type { ChangeKind, StatusKind } from './graph.ts'

/** A way to mark something that people tell by its colour or, if they cannot, by its sign and word. */
export interface Mark {
  readonly word: string
  /** Fill, on which the text is dark in any case. */
  readonly fill: string
  /** Lines of the sign, as data of an SVG path in a square of 10 units. */
  readonly sign: string
}

export const CHANGE_MARKS: Readonly<Record<ChangeKind, Mark>> = {
  started: { word: 'starts', fill: '#7fd6b2', sign: 'M5 1V9M1 5H9' },
  replaced: { word: 'is replaced', fill: '#f6e27a', sign: 'M8.5 3.5A4 4 0 1 0 9 6M8.8 0.8V3.7H5.9' },
  moved: { word: 'moves here', fill: '#6fa8ee', sign: 'M0.5 5H9M5.5 1.5L9 5L5.5 8.5' },
  gone: { word: 'moves away', fill: '#c4d9f4', sign: 'M9.5 5H1M4.5 1.5L1 5L4.5 8.5' },
  stopped: { word: 'stops', fill: '#e58a63', sign: 'M1.5 1.5L8.5 8.5M8.5 1.5L1.5 8.5' },
}

export const STATUS_MARKS: Readonly<Record<StatusKind, Mark>> = {
  active: { word: 'runs', fill: '#7fd6b2', sign: 'M1.5 5.5L4 8L8.5 2' },
  down: { word: 'does not run', fill: '#e58a63', sign: 'M2 2L8 8M8 2L2 8' },
  drifted: { word: 'differs from the manifest', fill: '#f6e27a', sign: 'M5 1V6M5 8.2V9' },
  unknown: { word: 'unknown', fill: '#aab1bc', sign: 'M2.8 3A2.3 2.3 0 1 1 5 5.5V6.6M5 8.4V9' },
}

/** Dark text, which is legible on all fills of marks. */
export const INK = '#111827'

export function fillOf(kind: ChangeKind): string {
  return CHANGE_MARKS[kind].fill
}
