export { builtInModules } from './built-in-modules.ts'
export { modulesOf } from './modules-of.ts'
export type { LifecycleModule } from './read-modules.ts'
