/** Variables that can be used at a place: those that a block declares are forgotten at its end. */
export class Variables {
  readonly #names: string[] = []
  readonly #counts = new Map<string, number>()

  constructor(...names: readonly string[]) {
    this.declare(names)
  }

  get length(): number {
    return this.#names.length
  }

  get names(): Iterable<string> {
    return this.#counts.keys()
  }

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  declare(names: readonly string[]): void {
    for (const name of names) {
      this.#names.push(name)
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    }
  }

  /** Forgets all but the first. */
  forgetSince(length: number): void {
    while (this.#names.length > length) {
      const name = this.#names.pop() ?? ''
      const count = (this.#counts.get(name) ?? 0) - 1
      if (count > 0) this.#counts.set(name, count)
      else this.#counts.delete(name)
    }
  }
}
