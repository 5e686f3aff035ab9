/** Size of a system in a benchmark. */
export interface SystemSize {
  readonly services: number
  readonly targets: number
  readonly tiers: number
}

export interface PlacedService {
  readonly name: string
  readonly target: string
  /** Two services of the previous tier; none in the first tier. */
  readonly dependencies: readonly PlacedService[]
}

export interface PlacedSystem {
  readonly targets: readonly string[]
  readonly services: readonly PlacedService[]
}

export function systemOf({ services: count, targets, tiers }: SystemSize): PlacedSystem {
  const width = count / tiers
  const services: PlacedService[] = []
  for (let index = 0; index < count; index += 1) {
    const before = Math.floor(index / width) * width - width
    const dependencies = [index, index + 1].flatMap((position) => services[before + (position % width)] ?? [])
    services.push({ name: `service-${index}`, target: `host-${index % targets}`, dependencies })
  }
  return { services, targets: Array.from({ length: targets }, (_, index) => `host-${index}`) }
}

export function sizeText({ services, targets, tiers }: SystemSize): string {
  return `${services.toLocaleString('en')} services, ${targets} targets, ${tiers} tiers`
}
