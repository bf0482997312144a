import { role, userStatus } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { userActions } from './permissions.ts';

const person = (its: { role?: number; status?: number; DeletedAt?: number | null } = {}) => ({
  role: role.common,
  status: userStatus.enabled,
  DeletedAt: null,
  ...its,
});
const root = { role: role.root };
const admin = { role: role.admin };
const acts = (actor: { role: number } | null, target: ReturnType<typeof person>) =>
  [...userActions(actor, target)].toSorted();

test('an administrator may do everything to users, except promote them', () => {
  expect(acts(admin, person())).toEqual(['deregister', 'disable', 'edit', 'fund']);
  expect(acts(root, person())).toEqual(['deregister', 'disable', 'edit', 'fund', 'promote']);
});

test('an administrator may do nothing to users of the same or a higher rank', () => {
  expect(acts(admin, person({ role: role.admin }))).toEqual([]);
  expect(acts(admin, person({ role: role.root }))).toEqual([]);
  expect(acts({ role: role.common }, person())).toEqual([]);
  expect(acts(null, person())).toEqual([]);
});

test('a super admin may demote administrators, and no super admin is disabled, demoted or deleted', () => {
  expect(acts(root, person({ role: role.admin }))).toEqual([
    'demote',
    'deregister',
    'disable',
    'edit',
    'fund',
  ]);
  expect(acts(root, person({ role: role.root }))).toEqual(['edit', 'fund']);
});

test('a disabled user can be enabled, unless the status forbids it', () => {
  expect(userActions(admin, person({ status: userStatus.disabled })).has('enable')).toBe(true);
  expect(userActions(admin, person({ status: userStatus.disabled })).has('disable')).toBe(false);
  expect(userActions(root, person({ status: 3 })).has('enable')).toBe(false);
});

test('a deleted user has no actions', () => {
  expect(acts(root, person({ DeletedAt: 1 }))).toEqual([]);
});
