import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { createLog } from '../../../lib/log.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { type Store, users } from '../../../store/index.ts';
import { createNotifier, type Mail } from '../../site/notify/index.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from '../ledger/testing/test-bed.ts';
import { addTeam } from '../ledger/testing/team-bed.ts';
import { noticeExpiries } from './notices.ts';

const start = 1_700_000_000;
const day = 86_400;
const log = createLog('silent');

eachDialect('notices before credit expires', ({ kind, open, openAgain, url }) => {
  let store: Store;
  let ledger: Ledger;
  let person: Person;
  let now: number;
  let mails: Mail[];
  let fails: boolean;
  beforeEach(async () => {
    store = await open();
    now = start;
    mails = [];
    fails = false;
    ledger = openLedger(store, { clock: () => now * 1_000 });
    person = await addPerson(store, ledger, { balance: 100 });
    await users.update(store.db, person.userId, {
      email: 'alice@site.example',
      setting: JSON.stringify({ language: 'en' }),
    });
    return () => ledger.close();
  });

  const give = async (amount: number, expiresAt: number, accountId = person.accountId) => {
    const { userId } = person;
    await ledger.credit({
      txn: unique('redeem'),
      kind: 'redeem',
      accountId,
      userId,
      amount,
      terms: { expiresAt },
    });
  };
  const run = (of: Store = store) => {
    const { db } = of;
    const clock = () => now * 1_000;
    const values = { AlarmTimeZone: 'UTC', ServerAddress: '', DisplayInCurrencyEnabled: false };
    const settings = { get: (key: string) => (values as Record<string, unknown>)[key] } as never;
    const notifier = createNotifier({
      db,
      settings,
      sealer: createSealer(Buffer.alloc(32, 7)),
      mailer: {
        send: async (mail) => {
          if (fails) throw new Error('the mail server is away');
          mails.push(mail);
        },
      },
      sendWebhook: async () => undefined,
      queue: { add: () => true },
      limit: { count: 2, windowMinutes: 10 },
      clock,
      log,
    });
    return noticeExpiries({ db, notifier, clock, log });
  };
  const texts = () => mails.map(({ text }) => text);

  it('are one a week and one a day before, with what is left then', async () => {
    await give(50, start + 30 * day);
    await give(20, start + 30 * day);
    const step = async (at: number) => {
      now = at;
      await run();
      await run();
      return mails.length;
    };
    expect(await step(start + 23 * day - 1)).toBe(0);
    expect(await step(start + 23 * day)).toBe(1);
    const id = unique('call');
    await hold(ledger, holdRequest(person, id, 30));
    await ledger.settle(bill(person, id, 30));
    expect(await step(start + 28 * day)).toBe(1);
    expect(await step(start + 29 * day)).toBe(2);
    expect(await step(start + 31 * day)).toBe(2);
    const after = 'until 2023-12-14 22:13 (UTC). Credit that is not used by then expires.';
    expect(texts()).toEqual([
      `Some of your credit will expire: 70 ${after}`,
      `Some of your credit will expire: 40 ${after}`,
    ]);
  });

  it('are not sent of what is used up, was given for a shorter time, or is without an end', async () => {
    await give(50, start + 8 * day);
    await give(5, start + 6 * day);
    const id = unique('call');
    await hold(ledger, holdRequest(person, id, 55));
    await ledger.settle(bill(person, id, 55));
    now = start + 2 * day;
    await run();
    await give(3, now + day / 2);
    // Such as the credit of a plan of a day, every day.
    await give(4, now + day);
    await run();
    expect(texts()).toEqual([]);
  });

  it('go to the owner of an organisation, and once if two processes send them', async () => {
    const team = await addTeam(store, ledger, { balance: 0 });
    await store.db.updateTable('teams').set({ owner_id: person.userId }).execute();
    await give(10, start + 10 * day, team.accountId);
    await give(11, start + 10 * day);
    now = start + 4 * day;
    const other = kind === 'sqlite' ? store : await openAgain();
    await Promise.all([run(), run(other), run(), run(other)]);
    expect(texts().toSorted()).toMatchObject(
      [/^Some credit of the organisation.*: 10 until/, /: 11 until/].map((part) =>
        expect.stringMatching(part),
      ),
    );
  });

  it('are tried again if they could not be sent, or if the process was killed before it sent them', async () => {
    await give(10, start + 10 * day);
    now = start + 4 * day;
    fails = true;
    await run();
    fails = false;
    await run();
    expect(mails).toEqual([]);
    now += 600;
    const program = `
      import { armFaults } from ${JSON.stringify(join(import.meta.dirname, '../../../lib/fault-point.ts'))};
      import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../../store/index.ts'))};
      import { noticeExpiries } from ${JSON.stringify(join(import.meta.dirname, 'notices.ts'))};
      const { db } = await openStore({ url: process.argv[1] });
      armFaults([{ point: 'notice-taken', action: 'kill', number: 1 }]);
      await noticeExpiries({ db, clock: () => ${now * 1_000} });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, url()], {
      stdio: 'inherit',
    });
    const [, signal] = (await once(child, 'exit')) as [unknown, string];
    expect(signal).toBe('SIGKILL');
    await run();
    expect(mails).toEqual([]);
    now += 600;
    await run();
    now += 600;
    await run();
    expect(mails).toHaveLength(1);
  });
});
