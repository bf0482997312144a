import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { linkedPair } from '../../testing/linked/linked-pair.ts';
import { inTransaction } from '../db.ts';
import { openForReading } from '../drivers/sqlite-file.ts';
import { migrate } from '../migrate.ts';
import { openStore, type Store } from '../open.ts';
import * as options from '../tables/options.ts';

describe('a SQLite file that another process writes', () => {
  let path: string;
  let writer: Store;
  let reader: Store;
  let sent: unknown[][];
  /** The reader's process ends. */
  let die: () => void;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-linked-'));
    path = join(folder, 'test.db');
    writer = await openStore({ url: `sqlite:${path}` });
    await migrate(writer);
    const pair = linkedPair();
    ({ sent } = pair);
    die = await writer.share!(pair.links[0]);
    reader = await openStore({ url: `sqlite:${path}`, first: pair.links[1] });
    return async () => {
      die();
      vi.useRealTimers();
      await reader.close();
      await writer.close();
      await rm(folder, { recursive: true, force: true });
    };
  });
  const valueOf = async ({ db }: Store, key: string): Promise<string | undefined> =>
    (await options.all(db)).find((row) => row.key === key)?.value;

  it('is read without a message, including what it has just written', async () => {
    expect(await options.all(reader.db)).toEqual([]);
    expect(sent).toHaveLength(0);
    await options.put(reader.db, 'a', 'written');
    expect(await valueOf(reader, 'a')).toBe('written');
    expect(await valueOf(writer, 'a')).toBe('written');
  });

  it('cannot be written without the other process: SQLite itself refuses', () => {
    const db = openForReading(path);
    for (const statement of ['delete from options', 'create table t (a)', 'pragma user_version = 5'])
      expect(() => db.exec(statement)).toThrow(/readonly/);
    db.close();
  });

  it('keeps a transaction together: it reads its own writes, no one else does before it ends, and it is rolled back as a whole', async () => {
    await inTransaction(reader.db, async (db) => {
      await options.put(db, 'a', '1');
      expect(await valueOf({ ...reader, db }, 'a')).toBe('1');
      expect(await valueOf(reader, 'a')).toBeUndefined();
    });
    expect(await valueOf(reader, 'a')).toBe('1');
    const undone = inTransaction(reader.db, async (db) => {
      await options.put(db, 'a', '2');
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await valueOf(writer, 'a')).toBe('1');
  });

  it('has the same errors as the file', async () => {
    const twice = sql`insert into options (key, value) values ('a', '1'), ('a', '2')`;
    const errorOf = async ({ db, dialect }: Store) => {
      const error: unknown = await twice.execute(db).catch((reason: unknown) => reason);
      return [(error as Error).message, dialect.isUniqueViolation(error), dialect.isDataFault(error)];
    };
    const there = await errorOf(writer);
    expect(there.slice(1)).toEqual([true, true]);
    expect(await errorOf(reader)).toEqual(there);
  });

  it('runs transactions of both processes one after the other', async () => {
    await options.put(writer.db, 'count', '0');
    const add = (store: Store): Promise<void> =>
      inTransaction(store.db, async (db) => {
        const count = Number(await valueOf({ ...store, db }, 'count'));
        await options.put(db, 'count', String(count + 1));
      });
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(i % 2 === 0 ? reader : writer)));
    expect(await valueOf(reader, 'count')).toBe('20');
  });

  it('rolls back the transaction of a process that died, and lets the others write', async () => {
    const begun = Promise.withResolvers<void>();
    const left = inTransaction(reader.db, async (db) => {
      await options.put(db, 'a', 'half');
      begun.resolve();
      await new Promise(() => undefined);
    });
    left.catch(() => undefined);
    await begun.promise;
    die();
    await options.put(writer.db, 'b', 'after');
    expect(await options.all(writer.db)).toMatchObject([{ key: 'b', value: 'after' }]);
  });

  it.each([
    ['before its next statement', ['a', 'b']],
    ['before its end', ['a']],
  ])(
    'ends a transaction of a process that says nothing more %s, which runs it again when it wakes',
    async (_when, keys) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const frozen = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const left = inTransaction(reader.db, async (db) => {
        const [first, ...others] = keys;
        await options.put(db, first!, 'whole');
        begun.resolve();
        await frozen.promise;
        for (const key of others) await options.put(db, key, 'whole');
      });
      await begun.promise;
      vi.advanceTimersByTime(2_000);
      vi.useRealTimers();
      // Nobody waits behind it for long.
      await options.put(writer.db, 'c', 'after');
      expect(await options.all(writer.db)).toMatchObject([{ key: 'c' }]);
      frozen.resolve();
      await left;
      expect((await options.all(writer.db)).map(({ key }) => key).sort()).toEqual([...keys, 'c']);
    },
  );
});
