import { printableLine } from '@davit/diagnostics'

import type { InstanceNode } from './graph.ts'
import type { Size } from './shelves.ts'
import { type Font, shortened, textWidth } from './text-width.ts'

export const TITLE_HEIGHT = 24
export const LABEL_HEIGHT = 18

export const NAME_FONT: Font = { size: 12 }
export const TITLE_FONT: Font = { size: 14, bold: true }
export const LABEL_FONT: Font = { size: 11 }

const MAX_NAME = 170
const MAX_TITLE = 230

/** The text above a target or container. */
export interface Labelled {
  readonly label: string
  /** What follows in lighter letters. */
  readonly note?: string
  /** Where the note begins, from the beginning of the label. */
  readonly noteAt: number
  /** Width of both. */
  readonly width: number
}

/** Makes the label of a container, or of a target with its address. */
export function labelled(name: string, address?: string): Labelled {
  const isTitle = address !== undefined
  const font = isTitle ? TITLE_FONT : LABEL_FONT
  const label = shortened(printableLine(name), isTitle ? MAX_TITLE : MAX_NAME, font)
  const noteAt = Math.ceil(textWidth(label, font)) + NOTE_GAP
  if (address === undefined || address === name) return { label, noteAt, width: noteAt }
  const note = shortened(printableLine(address), MAX_NAME, LABEL_FONT)
  return { label, note, noteAt, width: noteAt + Math.ceil(textWidth(note, LABEL_FONT)) }
}

const NOTE_GAP = 8

export interface LabelledInstance extends Size {
  readonly instance: InstanceNode
  readonly label: string
  /** Containers that the service provides. */
  readonly provides?: string
}

/** Space for a sign beside a name. */
export const SIGN_SPACE = 18
const PADDING = 12
const MIN_WIDTH = 64

/** Finds the size that an instance needs for its name, its signs and the containers that it provides. */
export function labelInstance(instance: InstanceNode): LabelledInstance {
  const label = shortened(printableLine(instance.name), MAX_NAME, NAME_FONT)
  const provides = instance.provides.length === 0 ? undefined : providesText(instance.provides)
  const text = Math.max(textWidth(label, NAME_FONT), textWidth(provides ?? '', LABEL_FONT))
  const signs = (instance.change === undefined ? 0 : SIGN_SPACE) + (instance.status === undefined ? 0 : SIGN_SPACE)
  const width = Math.max(MIN_WIDTH, Math.ceil(text) + 2 * PADDING + signs)
  if (provides === undefined) return { instance, label, width, height: 28 }
  return { instance, label, provides, width, height: 44 }
}

function providesText(containers: readonly string[]): string {
  return shortened(printableLine(`→ ${containers.join(', ')}`), MAX_NAME, LABEL_FONT)
}
