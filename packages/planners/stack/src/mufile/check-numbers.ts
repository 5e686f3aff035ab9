import type { Written } from '@davit/languages'
import type { Shapes } from './shapes.ts'

/** Refuses whole numbers that would not arrive as they are written. */
export function checkNumbers(written: Written, shapes: Shapes): void {
  switch (written.kind) {
    case 'scalar': {
      const { value, text } = written
      if (typeof value === 'number' && /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value)) {
        shapes.wrong(written, `${text} is out of range: whole numbers beyond ±${Number.MAX_SAFE_INTEGER} are not exact`)
      }
      return
    }
    case 'list':
      for (const item of written.items) checkNumbers(item, shapes)
      return
    case 'table':
      for (const member of written.members.values()) checkNumbers(member, shapes)
  }
}
