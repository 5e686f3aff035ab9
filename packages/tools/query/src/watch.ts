import { setTimeout as wait } from 'node:timers/promises'

import type { ToolContext } from '@davit/tool'

const SECONDS = 2

/** Prints a text again and again, on a terminal in place of the one before, until the tool is interrupted. */
export async function watch(
  renderNow: () => Promise<string>,
  { print, signal, columns }: ToolContext<unknown>,
): Promise<never> {
  const clear = columns === undefined ? '' : CLEAR
  for (;;) {
    // One after the other: a machine that is slow is not asked twice at a time.
    // oxlint-disable-next-line no-await-in-loop
    await print(`${clear}${await renderNow()}${columns === undefined ? '\n' : ''}`)
    // oxlint-disable-next-line no-await-in-loop
    await wait(SECONDS * 1000, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
  }
}

/** Moves to the top left corner, and clears from there. */
const CLEAR = '\u001B[H\u001B[J'
