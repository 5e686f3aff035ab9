type Import = (specifier: string) => Promise<unknown>

/** The launcher of an installation has this: code that V8 compiled in advance cannot call `import()` itself. */
const LAUNCHER_IMPORT = Symbol.for('davit.import')

/** Imports a module that is not part of the bundle of the tool. */
export function importModule(specifier: string): Promise<unknown> {
  const { [LAUNCHER_IMPORT]: importByLauncher } = globalThis as { readonly [LAUNCHER_IMPORT]?: Import }
  return importByLauncher === undefined ? import(specifier) : importByLauncher(specifier)
}
