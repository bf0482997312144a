import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layMigratedFile } from '../../../../store/migrated-file.ts';
import { openStore, type Store } from '../../../../store/index.ts';
import { linkedPair } from '../../../../testing/linked/linked-pair.ts';
import { createLinkedLedger } from '../linked-ledger.ts';
import { recordingLog, openLedger, type OpenOptions } from './test-bed.ts';

type LoggedLedger = ReturnType<typeof openLedger>;

/** A SQLite file, a ledger that keeps its books, and workers, which read it. */
export interface LinkedBed {
  /** As a worker sees the database. */
  readonly store: Store;
  readonly first: LoggedLedger;
  /**
   * Another worker. `abandon` is its sudden end, and `recover` ends the holds of all workers before it, frozen or dead, as
   * the first process does.
   */
  open(options?: OpenOptions): Promise<LoggedLedger>;
  /** How many messages went between the newest worker and the first process, both ways. */
  messages(): number;
  /** The first process receives nothing from the newest worker until it resumes. */
  freeze(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Opens a new file; `settings` are those of the ledger that keeps its books. */
export async function openLinkedBed(settings: OpenOptions['settings'] = {}): Promise<LinkedBed> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-workers-'));
  const path = join(folder, 'test.db');
  await layMigratedFile(path);
  const url = `sqlite:${path}`;
  const file = await openStore({ url });
  const first = openLedger(file, { node: 'first', settings });
  const forStore = linkedPair().links;
  const undo = await file.share!(forStore[0]);
  const store = await openStore({ url, first: forStore[1] });
  const gone: Promise<void>[] = [];
  let workers = 0;
  let newest = linkedPair();
  return {
    store,
    first,
    async open({ clock = () => 1_700_000_000_000, settings = {} } = {}) {
      newest = linkedPair();
      const { links } = newest;
      const number = (workers += 1);
      const leave = await first.serve(links[0], `w${number}`);
      const node = `w${number}`;
      const log = recordingLog();
      const ledger = createLinkedLedger(links[1], { store, log, clock, node, settings });
      return {
        ...ledger,
        lines: log.lines,
        abandon() {
          ledger.abandon();
          links[0].cut(new Error('the worker died'));
          gone.push(leave());
        },
        async recover() {
          await Promise.all(gone);
          const done = { settled: 0, released: 0, charged: 0 };
          for (let before = 1; before < number; before += 1) {
            const { settled, released, charged } = await first.recoverDead(`w${before}`);
            done.settled += settled;
            done.released += released;
            done.charged += charged;
          }
          return done;
        },
      };
    },
    messages: () => newest.sent.length,
    freeze: () => newest.freeze(),
    resume: () => newest.resume(),
    async close() {
      undo();
      await store.close();
      await first.close();
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
