import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** An invitation carries the limits of the person who accepts it. */
export const invitationLimits: Migration = {
  name: '0069-invitation-limits',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addNullable('team_invitations', 'limits', write.words.text(2_000))];
  },
};
