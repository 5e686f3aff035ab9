import house from '../../../../package.json' with { type: 'json' }

/** Version of all executables, which are released together; only the root package.json has one. */
export const version: string = house.version
