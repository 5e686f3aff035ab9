import type { ModelKind } from './model-kinds.ts'

/** The roles of model files of a deployment; a new role needs a row here, and a reader. */
export const ROLES = {
  services: { needs: ['infrastructure', 'distribution'] },
  infrastructure: { needs: [] },
  distribution: { needs: ['infrastructure'] },
  packages: { needs: ['infrastructure'] },
  architecture: { needs: [] },
} as const satisfies Readonly<Partial<Record<ModelKind, RoleTraits>>>

interface RoleTraits {
  /** Roles whose models are arguments of the function of this model, and so are evaluated first. */
  readonly needs: readonly ('infrastructure' | 'distribution')[]
}

export type Role = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[]

/** A value for each role that has a file. */
export type ByRole<Value> = Readonly<Partial<Record<Role, Value>>>

/** Returns the entries in the order of roles. */
export function rolesIn<Value>(table: ByRole<Value>): readonly (readonly [Role, Value])[] {
  return ROLE_NAMES.flatMap((role) => {
    const value = table[role]
    return value === undefined ? [] : [[role, value] as const]
  })
}

export function mapRoles<Value, Result>(
  table: ByRole<Value>,
  change: (value: Value, role: Role) => Result,
): ByRole<Result> {
  return Object.fromEntries(rolesIn(table).map(([role, value]) => [role, change(value, role)]))
}
