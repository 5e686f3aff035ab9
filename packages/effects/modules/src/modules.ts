export { builtInModules } from './built-in-modules.ts'
export { modulesOf } from './modules-of.ts'
export { type LifecycleModule, readModules } from './read-modules.ts'
