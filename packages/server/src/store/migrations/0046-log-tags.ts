import { sql } from 'kysely';
import type { DatabaseKind } from '../dialects/types.ts';
import { SchemaWriter } from './writer.ts';
import type { Migration, Step } from './writer.ts';

/**
 * Tags of calls. A log row has all of them as a JSON object, so that they move with the row. The database maintains a
 * table beside it, which finds rows by a tag in order of time. Rows without tags cost neither.
 */
export const logTags: Migration = {
  name: '0046-log-tags',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    return [
      write.addNullable('logs', 'tags', longText),
      write.table('log_tags', {
        columns: { log_id: integer, name: text(64), value: text(255), created_at: integer },
        primaryKey: ['log_id', 'name'],
      }),
      write.index('log_tags', 'tag_time', ['name', 'value', 'created_at', 'log_id']),
      ...followers(write, dialect.kind),
    ];
  },
};

/** Triggers that update the table of tags from the log. */
function followers(write: SchemaWriter, kind: DatabaseKind): Step[] {
  if (kind === 'postgres')
    return [
      write.raw(
        sql`create function log_tags_follow() returns trigger language plpgsql as ${sql.lit(`begin
        if tg_op = 'DELETE' then
          delete from log_tags where log_id = old.id;
        else
          insert into log_tags (log_id, name, value, created_at)
            select new.id, tag.key, tag.value, new.created_at from json_each_text(new.tags::json) as tag
            on conflict do nothing;
        end if;
        return null;
      end`)}`,
      ),
      write.raw(sql`create trigger log_tags_come after insert on logs
        for each row when (new.tags is not null) execute function log_tags_follow()`),
      write.raw(sql`create trigger log_tags_go after delete on logs
        for each row when (old.tags is not null) execute function log_tags_follow()`),
    ];
  if (kind === 'sqlite')
    return [
      write.raw(sql`create trigger log_tags_come after insert on logs when new.tags is not null begin
        insert or ignore into log_tags (log_id, name, value, created_at)
          select new.id, key, value, new.created_at from json_each(new.tags);
      end`),
      write.raw(sql`create trigger log_tags_go after delete on logs when old.tags is not null begin
        delete from log_tags where log_id = old.id;
      end`),
    ];
  return [
    write.raw(sql`create trigger log_tags_come after insert on logs for each row
      if new.tags is not null then
        insert ignore into log_tags (log_id, name, value, created_at)
          select new.id, tag.name, json_unquote(json_extract(new.tags, concat('$."', tag.name, '"'))), new.created_at
          from json_table(json_keys(new.tags), '$[*]' columns (name varchar(64) path '$')) as tag;
      end if`),
    write.raw(sql`create trigger log_tags_go after delete on logs for each row
      if old.tags is not null then
        delete from log_tags where log_id = old.id;
      end if`),
  ];
}
