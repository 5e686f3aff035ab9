import house from '../../../../package.json' with { type: 'json' }

/** Version of all executables: they are released together, and the package.json of the house alone has it. */
export const version: string = house.version
