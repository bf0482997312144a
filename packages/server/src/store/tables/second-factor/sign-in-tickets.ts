import type { Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { SignInTicketTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type SignInTicketRow = Selectable<SignInTicketTable>;

export async function add(db: Db, ticket: SignInTicketRow): Promise<void> {
  await db.insertInto('sign_in_tickets').values(ticket).execute();
}

/** A valid ticket. */
export const find = (db: Db, ticketHash: string, now: number): Promise<SignInTicketRow | undefined> =>
  db
    .selectFrom('sign_in_tickets')
    .selectAll()
    .where('ticket_hash', '=', ticketHash)
    .where('expires_time', '>', now)
    .executeTakeFirst();

/** Uses a ticket; of concurrent attempts, one gets true. */
export async function take(db: Db, ticketHash: string): Promise<boolean> {
  const result = await db
    .deleteFrom('sign_in_tickets')
    .where('ticket_hash', '=', ticketHash)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Ends the sign-ins of a user that wait for their second step. */
export async function removeAll(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('sign_in_tickets').where('user_id', '=', userId).execute();
}

/** Deletes the tickets that expired before `now`. */
export async function removeExpired(db: Db, now: number): Promise<number> {
  return countOf(
    await db.deleteFrom('sign_in_tickets').where('expires_time', '<=', now).executeTakeFirstOrThrow(),
  );
}
