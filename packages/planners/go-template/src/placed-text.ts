import type { Place, TemplateFile } from './template-file.ts'

/** Text that knows where each of its pieces was written. A piece is text as it was written, or what an action printed. */
export class PlacedText {
  readonly text: string
  readonly #pieces: Pieces

  constructor(text: string, pieces: Pieces) {
    this.text = text
    this.#pieces = pieces
  }

  /** Number of pieces. */
  get pieces(): number {
    return this.#pieces.starts.length
  }

  /** Returns where the text at an offset was written: text at itself, what an action printed at the action. */
  place(offset: number): Place {
    const { starts } = this.#pieces
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return this.#placeIn(low, offset)
  }

  #placeIn(index: number, offset: number): Place {
    const { starts, offsets, files } = this.#pieces
    const [start = 0, written = 0, file] = [starts[index], offsets[index], files[index]]
    if (file === undefined) throw new Error('a text without pieces')
    return {
      file,
      offset: written < 0 ? -1 - written : written + Math.max(0, Math.min(offset, this.text.length) - start),
    }
  }

  /** Pieces that actions printed. */
  get printed(): readonly { readonly start: number; readonly end: number }[] {
    const { starts, offsets } = this.#pieces
    return starts.flatMap((start, index) =>
      (offsets[index] ?? 0) < 0 ? [{ start, end: starts[index + 1] ?? this.text.length }] : [],
    )
  }

  /** Calls `write` for each piece between two offsets. */
  copy(write: (text: string, source: Source) => void, from = 0, to = this.text.length): void {
    const { starts } = this.#pieces
    for (let index = 0; index < starts.length; index += 1) {
      const start = Math.max(from, starts[index] ?? 0)
      const end = Math.min(to, starts[index + 1] ?? this.text.length)
      if (start >= end) continue
      const isWritten = (this.#pieces.offsets[index] ?? 0) >= 0
      write(this.text.slice(start, end), { ...this.#placeIn(index, start), isWritten })
    }
  }
}

/** Where a piece comes from, and whether it stands there as it is. */
export interface Source extends Place {
  readonly isWritten: boolean
}

/** Where each piece starts in the text and in its file; the latter is `-1 - offset` for what an action printed. */
export interface Pieces {
  readonly starts: readonly number[]
  readonly offsets: readonly number[]
  readonly files: readonly TemplateFile[]
}

/** Collects pieces of text. */
export class PieceList {
  readonly #texts: string[] = []
  readonly #starts: number[] = []
  readonly #offsets: number[] = []
  readonly #files: TemplateFile[] = []
  #length = 0
  #bytes = 0

  /** Size in UTF-8. */
  get bytes(): number {
    return this.#bytes
  }

  readonly add = (text: string, { file, offset, isWritten }: Source): void => {
    if (text === '') return
    this.#texts.push(text)
    this.#starts.push(this.#length)
    this.#offsets.push(isWritten ? offset : -1 - offset)
    this.#files.push(file)
    this.#length += text.length
    this.#bytes += Buffer.byteLength(text)
  }

  /** Returns the whole text; an empty one has the place of the beginning of the file. */
  placed(file: TemplateFile): PlacedText {
    const isEmpty = this.#texts.length === 0
    const pieces = { starts: this.#starts, offsets: this.#offsets, files: this.#files }
    return new PlacedText(this.#texts.join(''), isEmpty ? { starts: [0], offsets: [0], files: [file] } : pieces)
  }
}
