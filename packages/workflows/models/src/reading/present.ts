/** Removes members that are undefined. */
export function present<Fields extends object>(record: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Present<Fields>
}

type Present<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}
