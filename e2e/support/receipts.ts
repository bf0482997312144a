import { receiptKeysPath } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { loadChecker } from '../../packages/server/src/services/money/receipts/index.ts';
import { hasPython, verifyInPython } from '../../packages/server/src/testing/python-verifier.ts';
import type { Site } from './site.ts';
import { callFrom } from './traffic.ts';

/** Downloads the signed receipts of this month of a user, as the administrator of a page. */
const readMonth = (page: Page, user: number): Promise<string> =>
  page.evaluate(async (path) => {
    const own = JSON.parse(localStorage.getItem('user') ?? '{}') as { id?: number };
    const answer = await fetch(path, { headers: { 'new-api-user': String(own.id) } });
    return answer.text();
  }, `/api/statement/user/${user}?format=jsonl`);

/** The checked file, offline: with the keys alone. */
async function check(text: string, keys: string) {
  const { readKeys, ReceiptChecker } = await loadChecker();
  const checker = new ReceiptChecker(readKeys(keys));
  for (const line of text.split('\n')) checker.add(line);
  return checker.end();
}

/**
 * Waits until every ledger entry of every user has its receipt, and has both verifiers check all of them with the published
 * keys. Returns the charges of all calls, in quota units.
 */
export async function verifyReceipts(site: Site, office: Page): Promise<number> {
  const { items } = (await callFrom(office, 'GET', '/api/user/?page_size=100')) as {
    items: { id: number }[];
  };
  const files: string[] = [];
  let charged = 0;
  for (const { id } of items) {
    const read = async () => {
      const keys = await (await fetch(site.url + receiptKeysPath)).text();
      const text = await readMonth(office, id);
      return { text, ...(await check(text, keys)) };
    };
    await expect.poll(async () => (await read()).head?.pending, { timeout: 30_000 }).toBe(0);
    const { text, problems, kind, charged: ofUser } = await read();
    expect({ kind, problems }).toEqual({ kind: 'month', problems: [] });
    charged += ofUser;
    files.push(text);
  }
  const keys = await (await fetch(site.url + receiptKeysPath)).text();
  const second = hasPython ? verifyInPython(keys, files) : [];
  expect(second.flatMap(({ problems }) => problems)).toEqual([]);
  return charged;
}
