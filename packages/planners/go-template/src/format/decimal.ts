/** A number that is not negative, as 0.DIGITS × 10^point; zero has no digits. */
export interface Decimal {
  readonly digits: string
  readonly point: number
}

/** The shortest digits that are read back as the same number. */
export function shortest(value: number): Decimal {
  const [digits = '', exponent = '0'] = value.toExponential().replace('.', '').split('e')
  return trimmed(digits, Number(exponent) + 1)
}

const view = new DataView(new ArrayBuffer(8))

/** All digits of a number. */
function exact(value: number): Decimal {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const mantissa = (bits & 0xfffffffffffffn) | (biased === 0 ? 0n : 1n << 52n)
  const exponent = Math.max(biased, 1) - 1075
  const digits = String(exponent < 0 ? mantissa * 5n ** BigInt(-exponent) : mantissa << BigInt(exponent))
  return trimmed(digits, digits.length + Math.min(exponent, 0))
}

function trimmed(digits: string, point: number): Decimal {
  const significant = digits.replace(/(?<!0)0+$/, '')
  return significant === '' ? { digits: '', point: 0 } : { digits: significant, point }
}

/** Rounds to a number of digits; a half goes to the even digit. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point }
  if (count < 0) return { digits: '', point: 0 }
  const [kept, rest] = [digits.slice(0, count), digits.slice(count)]
  const isHalf = rest === '5'
  const isOdd = Number(kept.at(-1) ?? 0) % 2 === 1
  if (rest < '5' || (isHalf && !isOdd)) return trimmed(kept, point)
  const raised = String(BigInt(kept === '' ? 0 : kept) + 1n)
  return trimmed(raised, point + raised.length - kept.length)
}

/** Formats as `%f`: so many digits behind the point. */
export function fixed(value: number, places: number): string {
  const number = exact(value)
  const { digits, point } = rounded(number, number.point + places)
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  const fraction = ('0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point))).padEnd(places, '0')
  return places === 0 ? whole : `${whole}.${fraction}`
}

/** Formats as `%e`: one digit, and so many behind the point. */
export function scientific(value: number, places: number): string {
  return withExponent(rounded(exact(value), places + 1), places)
}

function withExponent({ digits, point }: Decimal, places: number): string {
  const exponent = digits === '' ? 0 : point - 1
  const mark = exponent < 0 ? '-' : '+'
  const fraction = digits.slice(1).padEnd(places, '0')
  const power = `e${mark}${String(Math.abs(exponent)).padStart(2, '0')}`
  return `${digits[0] ?? '0'}${fraction === '' ? '' : `.${fraction}`}${power}`
}

/** Formats as `%g`: whichever form is shorter; without a precision, the shortest digits. */
export function general(value: number, precision: number | undefined): string {
  const number = precision === undefined ? shortest(value) : rounded(exact(value), precision || 1)
  const count = number.digits.length
  const exponent = count === 0 ? 0 : number.point - 1
  if (exponent < -4 || exponent >= mostExponent(number, precision)) return withExponent(number, Math.max(count - 1, 0))
  return fixed(value, Math.max(count - number.point, 0))
}

function mostExponent({ digits, point }: Decimal, precision: number | undefined): number {
  if (precision === undefined) return 6
  const asked = precision || 1
  return asked > digits.length && digits.length >= point ? digits.length : asked
}
