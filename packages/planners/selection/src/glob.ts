/** Whether a name matches a pattern, in which `*` stands for any characters and `?` for one. Takes no more than the product of both lengths. */
export function matchesGlob(name: string, pattern: string): boolean {
  let at = 0
  let next = 0
  let star: { readonly pattern: number; name: number } | undefined
  while (at < name.length) {
    if (pattern[next] === '*') {
      star = { pattern: next, name: at }
      next += 1
    } else if (pattern[next] === '?' || pattern[next] === name[at]) {
      at += 1
      next += 1
    } else if (star === undefined) {
      return false
    } else {
      star.name += 1
      at = star.name
      next = star.pattern + 1
    }
  }
  return /^\**$/.test(pattern.slice(next))
}
