import { type SecretProperty, secretProperty } from '@davit/documents'

const PREFIX = 'secret.'

/** Returns the fields of a record for references to secrets, which the target cannot resolve, with digests of their values. */
export function fieldsOfSecrets(secrets: ReadonlyMap<string, SecretProperty> = new Map()): readonly [string, string][] {
  return [...secrets].map(([name, secret]): [string, string] => [`${PREFIX}${name}`, JSON.stringify(secret)])
}

export interface RecordedSecrets {
  readonly secrets: { readonly secrets?: ReadonlyMap<string, SecretProperty> }
  readonly problem?: string
}

export function secretsIn(fields: ReadonlyMap<string, string>): RecordedSecrets {
  const found = new Map<string, SecretProperty>()
  for (const [field, text] of fields) {
    if (!field.startsWith(PREFIX)) continue
    const secret = secretOf(text)
    if (secret === undefined) return { secrets: {}, problem: `its field '${field}' is not a reference to a secret` }
    found.set(field.slice(PREFIX.length), secret)
  }
  return { secrets: found.size === 0 ? {} : { secrets: found } }
}

function secretOf(text: string): SecretProperty | undefined {
  try {
    const parsed = secretProperty['~standard'].validate(JSON.parse(text))
    return parsed instanceof Promise || parsed.issues !== undefined ? undefined : parsed.value
  } catch {
    return undefined
  }
}
