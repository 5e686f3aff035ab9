/** Tells what so many things cost. */
export function handler({ query }) {
  const count = Number(query.count)
  if (!Number.isInteger(count)) throw new Error(`'${query.count}' is no number of things`)
  return { count, price: `${process.env.CURRENCY} ${count * 3}` }
}
