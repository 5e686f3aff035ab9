/** Widths of the characters from space to tilde in thousandths of the font size: those of a wide font, so that others fit as well. */
const WIDTHS = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
  636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
  748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
  615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
  337, 636, 838,
]
const OTHER_WIDTH = 1300
/** Bold characters are wider by at most this factor. */
const BOLD = 1.27

export interface Font {
  readonly size: number
  readonly bold?: boolean
}

/** Returns an upper bound for the width of a text on one line. */
export function textWidth(text: string, font: Font): number {
  let thousandths = 0
  for (const character of text) thousandths += widthOf(character)
  return scaled(thousandths, font)
}

const ELLIPSIS = '…'

/** Leaves out the middle of a text that is too wide: beginnings and ends distinguish names. */
export function shortened(text: string, width: number, font: Font): string {
  if (textWidth(text, font) <= width) return text
  const characters = Array.from(text)
  let used = OTHER_WIDTH
  let [front, back] = [0, 0]
  while (front + back < characters.length) {
    const isFront = front <= back
    const next = characters[isFront ? front : characters.length - 1 - back] ?? ''
    used += widthOf(next)
    if (scaled(used, font) > width) break
    if (isFront) front += 1
    else back += 1
  }
  return `${characters.slice(0, front).join('')}${ELLIPSIS}${characters.slice(characters.length - back).join('')}`
}

function widthOf(character: string): number {
  return WIDTHS[character.charCodeAt(0) - FIRST] ?? OTHER_WIDTH
}

const FIRST = 32

function scaled(thousandths: number, { size, bold = false }: Font): number {
  return (thousandths / 1000) * size * (bold ? BOLD : 1)
}
