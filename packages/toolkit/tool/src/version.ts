import manifest from '../package.json' with { type: 'json' }

/** Of all executables: they are released together. */
export const version: string = manifest.version
