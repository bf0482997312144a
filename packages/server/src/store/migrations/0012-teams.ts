import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration, Step } from './writer.ts';

/**
 * Teams: people who share a wallet. A member's limit is a meter like a key's, so holds and entries name the member
 * beside the key. Existing rows belong to no team.
 */
export const teams: Migration = {
  name: '0012-teams',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [...tables(write), ...columns(write)];
  },
};

/** Teams, their members and their open invitations. */
function tables(write: SchemaWriter): Step[] {
  const { integer, text } = write.words;
  return [
    write.table('teams', {
      columns: {
        id: integer,
        name: text(64),
        account_id: integer,
        owner_id: integer,
        group: text(64),
        status: integer,
        created_time: integer,
        deleted_at: integer,
      },
      nullable: ['deleted_at'],
      unique: [['account_id']],
    }),
    write.index('teams', 'owner', ['owner_id']),
    write.table('team_members', {
      columns: {
        id: integer,
        team_id: integer,
        user_id: integer,
        role: integer,
        limit_period: text(16),
        limit_quota: integer,
        period_start: integer,
        remain_quota: integer,
        held: integer,
        unlimited_quota: integer,
        used_quota: integer,
        joined_time: integer,
        left_time: integer,
      },
      nullable: ['left_time'],
      unique: [['team_id', 'user_id']],
      checks: { held_range: sql`held >= 0` },
    }),
    write.index('team_members', 'user', ['user_id']),
    write.table('team_invitations', {
      columns: {
        id: integer,
        team_id: integer,
        code_hash: text(64),
        invitee: text(255),
        invitee_id: integer,
        role: integer,
        inviter_id: integer,
        created_time: integer,
        expires_time: integer,
      },
      unique: [['code_hash']],
    }),
    write.index('team_invitations', 'team', ['team_id']),
    write.index('team_invitations', 'invitee', ['invitee_id']),
  ];
}

/** The team and the member of keys, records, orders and movements of money. */
function columns(write: SchemaWriter): Step[] {
  const { integer, thenById } = write.words;
  const ofTeam = sql`team_id <> 0`;
  return [
    write.addColumn('tokens', 'team_id', integer, 0),
    write.index('tokens', 'team', thenById('team_id'), ofTeam),
    write.addColumn('logs', 'team_id', integer, 0),
    write.index('logs', 'team_time', ['team_id', 'created_at', 'id'], ofTeam),
    write.addColumn('top_ups', 'team_id', integer, 0),
    write.addColumn('holds', 'member_id', integer, 0),
    write.addColumn('holds', 'member_amount', integer, 0),
    write.addColumn('ledger', 'member_id', integer, 0),
    write.addColumn('ledger', 'member_delta', integer, 0),
    // Use of each member in a month: limits are computed from it, statements list it.
    write.index('ledger', 'member_time', ['member_id', 'at'], sql`member_id <> 0`),
  ];
}
