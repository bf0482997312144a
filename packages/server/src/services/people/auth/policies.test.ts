import { role } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { refusal, type UserAction } from './policies.ts';

const actions: UserAction[] = [
  'read',
  'edit',
  'adjust',
  'disable',
  'enable',
  'delete',
  'erase',
  'promote',
  'demote',
  'end-sessions',
];
const actors = { user: role.common, admin: role.admin, root: role.root };

/** The whole table, one line for each actor and target: every action with its refusal, or yes. */
const table = Object.entries(actors).flatMap(([actor, actorRole]) =>
  Object.entries(actors).map(([target, targetRole]) => {
    const cells = actions.map(
      (action) =>
        `${action}:${refusal({ id: 1, role: actorRole }, action, { id: 2, role: targetRole }) ?? 'yes'}`,
    );
    return `${actor} → ${target} | ${cells.join(' ')}`;
  }),
);

describe('who may do what to whom', () => {
  it('is this table and no other', () => {
    expect(table).toMatchInlineSnapshot(`
      [
        "user → user | read:cannot_read_peer edit:cannot_edit_peer adjust:cannot_edit_peer disable:cannot_edit_peer enable:cannot_edit_peer delete:cannot_edit_peer erase:cannot_delete_peer promote:cannot_edit_peer demote:cannot_edit_peer end-sessions:cannot_edit_peer",
        "user → admin | read:cannot_read_peer edit:cannot_edit_peer adjust:cannot_edit_peer disable:cannot_edit_peer enable:cannot_edit_peer delete:cannot_edit_peer erase:cannot_delete_peer promote:cannot_edit_peer demote:cannot_edit_peer end-sessions:cannot_edit_peer",
        "user → root | read:cannot_read_peer edit:cannot_edit_peer adjust:cannot_edit_peer disable:cannot_edit_peer enable:cannot_edit_peer delete:cannot_edit_peer erase:cannot_delete_peer promote:cannot_edit_peer demote:cannot_edit_peer end-sessions:cannot_edit_peer",
        "admin → user | read:yes edit:yes adjust:yes disable:yes enable:yes delete:yes erase:yes promote:cannot_promote demote:already_common end-sessions:yes",
        "admin → admin | read:cannot_read_peer edit:cannot_edit_peer adjust:cannot_edit_peer disable:cannot_edit_peer enable:cannot_edit_peer delete:cannot_edit_peer erase:cannot_delete_peer promote:cannot_edit_peer demote:cannot_edit_peer end-sessions:cannot_edit_peer",
        "admin → root | read:cannot_read_peer edit:cannot_edit_peer adjust:cannot_edit_peer disable:cannot_edit_peer enable:cannot_edit_peer delete:cannot_edit_peer erase:cannot_delete_peer promote:cannot_edit_peer demote:cannot_edit_peer end-sessions:cannot_edit_peer",
        "root → user | read:yes edit:yes adjust:yes disable:yes enable:yes delete:yes erase:yes promote:yes demote:already_common end-sessions:yes",
        "root → admin | read:yes edit:yes adjust:yes disable:yes enable:yes delete:yes erase:yes promote:already_admin demote:yes end-sessions:yes",
        "root → root | read:yes edit:yes adjust:yes disable:cannot_disable_root enable:yes delete:cannot_delete_root erase:cannot_delete_peer promote:already_admin demote:cannot_demote_root end-sessions:cannot_edit_peer",
      ]
    `);
  });
});
