import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openStore, type Store, type StoreOptions } from '../../store/index.ts';
import { LogPair } from './pair.ts';

/** Opens files and stores for a test, and closes all of them at its end. */
export class Opened {
  private readonly closings: (() => Promise<unknown>)[] = [];

  /** Address of a SQLite file in a folder of its own. */
  async file(name: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-archive-'));
    this.closings.push(() => rm(folder, { recursive: true, force: true }));
    return `sqlite:${join(folder, name)}`;
  }

  async store(options: StoreOptions): Promise<Store> {
    const store = await openStore(options);
    this.closings.push(() => store.close());
    return store;
  }

  /** Two copies of a log: one in a single SQLite file, the other in a database with a separate archive. */
  async pair(url: string, logUrl: string): Promise<LogPair> {
    const plain = await this.store({ url: await this.file('plain.db') });
    const moved = await this.store({ url, logUrl });
    await migrate(plain);
    await migrate(moved);
    await migrate(moved.archive!);
    const pair = new LogPair(plain, moved);
    await pair.reset();
    return pair;
  }

  async close(): Promise<void> {
    for (const close of this.closings.toReversed()) await close();
  }
}
