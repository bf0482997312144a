import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Corrections of past charges; each charge once in each, and one correction under way. */
export const reratings: Migration = {
  name: '0015-reratings',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text, longText } = write.words;
    return [
      write.table('reratings', {
        columns: {
          id,
          state: text(16),
          under_way: integer,
          reason: text(255),
          actor_id: integer,
          rehearsal: text(64),
          collect: integer,
          selection: longText,
          options: longText,
          plan: longText,
          first_log: integer,
          last_log: integer,
          position: integer,
          corrected_rows: integer,
          same_rows: integer,
          given_back: integer,
          collected: integer,
          uncollected: integer,
          left_rows: integer,
          left_quota: integer,
          apart_rows: integer,
          created_at: integer,
          finished_at: integer,
          reverter_id: integer,
          revert_reason: text(255),
          reverted_at: integer,
          not_taken_back: integer,
        },
        unique: [['under_way']],
      }),
      write.table('rerating_rows', {
        columns: {
          id,
          rerating_id: integer,
          log_id: integer,
          user_id: integer,
          team_id: integer,
          model_name: text(255),
          request_id: text(64),
          charge_before: integer,
          billed_before: integer,
          charge_after: integer,
          bill: integer,
          moved: integer,
          undone: integer,
          state: text(16),
          applied_at: integer,
          reverted_at: integer,
        },
        unique: [['rerating_id', 'log_id']],
      }),
      write.index('rerating_rows', 'log', ['log_id']),
    ];
  },
};
