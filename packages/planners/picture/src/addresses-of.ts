import { type Infrastructure, propertyText } from '@davit/documents'
import { grouped } from '@davit/languages'

/** Returns the address of each target that has one, unless several targets have the same. */
export function addressesOf(infrastructure: Infrastructure): ReadonlyMap<string, string> {
  const addresses = [...infrastructure].flatMap(([name, { properties, targetProperty }]) => {
    const address = properties.get(targetProperty)
    return address === undefined ? [] : [{ name, address: propertyText(address) }]
  })
  const shared = grouped(addresses, ({ address }) => address)
  return new Map(
    addresses
      .filter(
        ({ name, address }) => shared.get(address)?.length === 1 && !isNameOfAnother(name, address, infrastructure),
      )
      .map(({ name, address }) => [name, address]),
  )
}

function isNameOfAnother(name: string, address: string, infrastructure: ReadonlyMap<string, unknown>): boolean {
  return address === '' || (address !== name && infrastructure.has(address))
}
