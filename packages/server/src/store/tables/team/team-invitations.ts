import type { Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { TeamInvitationTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type TeamInvitationRow = Selectable<TeamInvitationTable>;

export const create = (db: Db, invitation: Omit<TeamInvitationRow, 'id'>): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('team_invitations').values(invitation));

/** An invitation that is open at `now`, by its id. */
export const find = (db: Db, id: number, now: number): Promise<TeamInvitationRow | undefined> =>
  db
    .selectFrom('team_invitations')
    .selectAll()
    .where('id', '=', id)
    .where('expires_time', '>', now)
    .executeTakeFirst();

/** The same, by the hash of the code in its link. */
export const findByCode = (db: Db, codeHash: string, now: number): Promise<TeamInvitationRow | undefined> =>
  db
    .selectFrom('team_invitations')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .where('expires_time', '>', now)
    .executeTakeFirst();

/** The invitations of a team that are open at `now`, newest first. */
export const ofTeam = (db: Db, teamId: number, now: number): Promise<TeamInvitationRow[]> =>
  db
    .selectFrom('team_invitations')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('expires_time', '>', now)
    .orderBy('id', 'desc')
    .execute();

/** Open invitations of a user by name, in existing teams. */
export const forInvitee = (db: Db, userId: number, now: number): Promise<TeamInvitationRow[]> =>
  db
    .selectFrom('team_invitations')
    .innerJoin('teams', 'teams.id', 'team_invitations.team_id')
    .selectAll('team_invitations')
    .where('team_invitations.invitee_id', '=', userId)
    .where('team_invitations.expires_time', '>', now)
    .where('teams.deleted_at', 'is', null)
    .orderBy('team_invitations.id', 'desc')
    .execute();

/** Sets the limits of an invitation that is open at `now`; false if it is not. */
export async function setLimits(
  db: Db,
  { id, limits }: Pick<TeamInvitationRow, 'id' | 'limits'>,
  now: number,
): Promise<boolean> {
  const result = await db
    .updateTable('team_invitations')
    .set({ limits })
    .where('id', '=', id)
    .where('expires_time', '>', now)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Uses an invitation; of concurrent attempts, one gets true. */
export async function use(db: Db, id: number): Promise<boolean> {
  return countOf(await db.deleteFrom('team_invitations').where('id', '=', id).executeTakeFirstOrThrow()) > 0;
}

/** Withdraws an invitation of a team. */
export async function withdraw(db: Db, teamId: number, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('team_invitations')
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Ends all invitations of a deleted team. */
export async function withdrawAll(db: Db, teamId: number): Promise<void> {
  await db.deleteFrom('team_invitations').where('team_id', '=', teamId).execute();
}

/** Deletes invitations that expired before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('team_invitations').where('expires_time', '<=', now).executeTakeFirstOrThrow(),
  );
}
