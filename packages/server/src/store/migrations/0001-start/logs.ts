import { sql } from 'kysely';
import type { SchemaWriter, Step } from '../writer.ts';

/**
 * The log has ten million rows and more, and each settlement adds one, so each index must justify its cost. Lists are
 * newest first by (created_at, id), which is the order of ids except for clock differences. Every index ends in the
 * time, supports a time range and the order at once, and grows at few places (the end of each value's run), which stay
 * in memory. Not indexed, because a scan newest first soon fills a page: group (few values), token and user names
 * (their ids are indexed), model patterns.
 */
export function logs(write: SchemaWriter): Step[] {
  const { integer, text, longText, thenById } = write.words;
  return [
    write.table('logs', {
      columns: {
        id: integer,
        user_id: integer,
        created_at: integer,
        type: integer,
        content: longText,
        username: text(255),
        token_name: text(255),
        model_name: text(255),
        quota: integer,
        prompt_tokens: integer,
        completion_tokens: integer,
        use_time: integer,
        is_stream: integer,
        channel_id: integer,
        token_id: integer,
        group: text(64),
        other: longText,
        request_id: text(64),
      },
    }),
    // The administrator's list, sums over a time range, rpm and tpm of the last minute, deletion of old rows.
    write.index('logs', 'time', thenById('created_at')),
    // A user's own list and sums; the administrator's filter by name uses the id.
    write.index('logs', 'user_time', thenById('user_id', 'created_at')),
    // GET /api/log/token is public and called by third-party tools; one user may have hundreds of busy tokens.
    write.index('logs', 'token_time', thenById('token_id', 'created_at')),
    // The administrator's filters: they find rare channels and models without reading all rows.
    write.index('logs', 'channel_time', thenById('channel_id', 'created_at')),
    write.index('logs', 'model_time', thenById('model_name', 'created_at')),
    // Top-ups, administration and errors are one row in thousands; consumption (type 2) is excluded if the database
    // supports that.
    write.index('logs', 'rare_type_time', thenById('type', 'created_at'), sql`type <> 2`),
    // "What happened to request x?" Request ids begin with the time, so it grows at its end.
    write.index('logs', 'request', ['request_id']),
  ];
}

export function sums(write: SchemaWriter): Step[] {
  const { integer, text } = write.words;
  return [
    write.table('quota_data', {
      columns: {
        id: integer,
        user_id: integer,
        username: text(255),
        model_name: text(255),
        created_at: integer,
        token_used: integer,
        count: integer,
        quota: integer,
      },
      // Settlements add to the row of their hour.
      unique: [['user_id', 'model_name', 'created_at']],
    }),
    write.index('quota_data', 'time', ['created_at']),
  ];
}
