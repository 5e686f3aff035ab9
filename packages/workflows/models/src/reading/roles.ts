import type { ModelKind } from './model-kinds.ts'

/** What files of models of one deployment are for; who adds a role gives it a row here, and a reader. */
export const ROLES = {
  services: { needs: ['infrastructure', 'distribution'] },
  infrastructure: { needs: [] },
  distribution: { needs: ['infrastructure'] },
  packages: { needs: ['infrastructure'] },
  architecture: { needs: [] },
} as const satisfies Readonly<Partial<Record<ModelKind, RoleTraits>>>

interface RoleTraits {
  /** Roles whose models a function of such a model is given: they are evaluated before. */
  readonly needs: readonly ('infrastructure' | 'distribution')[]
}

export type Role = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[]

/** Something for each role that there is a file of. */
export type ByRole<Value> = Readonly<Partial<Record<Role, Value>>>

/** In the order of roles. */
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
