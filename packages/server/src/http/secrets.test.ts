import * as contract from '@tollgate/contract';
import { type Route } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** Field names that must never be in an answer; `key` is allowed where the key is the requested object. */
const forbidden = /password|hash|sealed|secret|access_token|authorization|cookie/i;
/** Fields with similar names and without a secret. */
const harmless = new Set([
  'has_password',
  'secrets_set',
  'password_login_enabled',
  'password_register_enabled',
  'oidc_authorization_endpoint',
  'authorization_endpoint',
]);

/** Every field name below a schema, from its JSON schema. */
function fieldsOf(schema: z.ZodType): string[] {
  const text = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  const names: string[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('properties' in node && typeof node.properties === 'object' && node.properties !== null) {
      names.push(...Object.keys(node.properties));
    }
    for (const value of Object.values(node)) walk(value);
  };
  walk(text);
  return names;
}

const routes = Object.values<unknown>(contract)
  .filter((value) => typeof value === 'object' && value !== null)
  .flatMap((value) => Object.values(value as object))
  .filter(
    (value): value is Route =>
      typeof value === 'object' && value !== null && 'data' in value && 'access' in value && 'path' in value,
  );

/** A new secret, shown only once, to the user who made it. An owner's import makes no users: its passwords are empty. */
const shownOnce = new Set([
  'POST /api/user/2fa/setup: secret',
  'POST /api/team/all/:id/member/import: password',
  'POST /api/team/:id/member/import: password',
]);

describe('no call returns a secret', () => {
  it('of every declared call', () => {
    expect(routes.length).toBeGreaterThan(60);
  });

  it('in any declared field, for any role', () => {
    const found = routes.flatMap((route) =>
      [route.data, ...(route.extra ? [route.extra] : [])]
        .flatMap(fieldsOf)
        .filter((name) => forbidden.test(name) && !harmless.has(name))
        .map((name) => `${route.method} ${route.path}: ${name}`)
        .filter((name) => !shownOnce.has(name)),
    );
    expect(found).toEqual([]);
  });
});
