import { DYSNOMIA_ACTIVITIES, type LifecycleModule } from './read-modules.ts'

/** A module that stands for the one that Dysnomia has on the target. That one is called, so this one never is. */
export function moduleOfDysnomia(type: string): LifecycleModule {
  const script = `#!/bin/sh\necho "${type}: this stands for a module of Dysnomia, which davit calls instead" >&2\nexit 1\n`
  return { script: new TextEncoder().encode(script), activities: [...DYSNOMIA_ACTIVITIES, 'of-dysnomia'] }
}
