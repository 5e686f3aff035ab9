export { type LifecycleModule, readModules } from './read-modules.ts'
