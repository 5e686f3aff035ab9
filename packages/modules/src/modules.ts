export { builtInModules } from './built-in-modules.ts'
export { type LifecycleModule, readModules } from './read-modules.ts'
