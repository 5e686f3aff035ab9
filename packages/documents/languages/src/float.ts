/** A whole number that was written with a fraction, such as `1.0`. Plain numbers would lose that. */
export class Float {
  readonly value: number

  /** Negative zero becomes zero. */
  constructor(value: number) {
    this.value = value + 0
  }

  toString(): string {
    return Number.isInteger(this.value) ? this.value.toFixed(1) : String(this.value)
  }
}
