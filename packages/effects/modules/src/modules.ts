export { builtInModules } from './built-in-modules.ts'
export { moduleOfDysnomia } from './module-of-dysnomia.ts'
export { modulesOf } from './modules-of.ts'
export type { LifecycleModule } from './read-modules.ts'
