/** A longer line is cut off: no terminal shows it, and it may never end. */
const MAX_CHARACTERS = 16_384

/** Takes a text in parts, and returns the lines that are complete. */
export class LineSplitter {
  #rest = ''
  #isOverlong = false

  take(text: string): readonly string[] {
    const lines = `${this.#rest}${text}`.split('\n')
    this.#rest = lines.pop() ?? ''
    const [first = '', ...others] = lines
    const complete = lines.length === 0 ? [] : [this.#ended(first), ...others.map(cut)]
    if (this.#rest.length > MAX_CHARACTERS) {
      this.#rest = this.#rest.slice(0, MAX_CHARACTERS + 1)
      this.#isOverlong = true
    }
    return complete
  }

  /** Whether a line has begun that is not complete. */
  get isWithinLine(): boolean {
    return this.#rest !== ''
  }

  /** Returns the last line, which has no end. */
  end(): readonly string[] {
    const rest = this.#rest
    this.#rest = ''
    return rest === '' ? [] : [this.#ended(rest)]
  }

  #ended(line: string): string {
    const shown = this.#isOverlong ? `${line.slice(0, MAX_CHARACTERS)} ...` : cut(line)
    this.#isOverlong = false
    return shown
  }
}

function cut(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line
  return whole.length > MAX_CHARACTERS ? `${whole.slice(0, MAX_CHARACTERS)} ...` : whole
}
