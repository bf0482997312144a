import { screen, waitFor, within } from '@testing-library/react';
import { type ComparedReport, reconciliationApi, type ReportRow, type UsageFetch } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const day = Date.UTC(2026, 10, 19) / 1_000;
const report = {
  id: 7,
  source: 'openai' as const,
  name: '',
  channels: [3],
  start_time: day,
  end_time: day + 86_400,
  created_at: day + 90_000,
  lines: 2,
};
const side = { calls: 2, input: 1_000, cached: 0, output: 100, cost: 500_000 };
const row = (given: Partial<ReportRow> = {}): ReportRow => ({
  day,
  model: 'gpt-4o',
  names: ['gpt-4o'],
  state: 'equal',
  incomplete: false,
  ours: { ...side, unknown_calls: 0 },
  theirs: side,
  parts: [
    {
      channel: 3,
      channel_name: 'main',
      model: 'fast',
      calls: 2,
      input: 1_000,
      output: 100,
      cost: 500_000,
      unknown_calls: 0,
    },
  ],
  ...given,
});
const differing = row({
  model: 'o1',
  names: ['o1', 'o1-2024-12-17'],
  state: 'differs',
  incomplete: true,
  theirs: { ...side, input: 1_200, cost: 600_000 },
});
const compared = (...rows: ReportRow[]): ComparedReport => ({
  report,
  rows,
  ours: { ...side, input: 2_000, unknown_calls: 0 },
  theirs: { ...side, input: 2_200, calls: null, cost: 600_000 },
  differences: 1,
  truncated: false,
});
const channels = [{ id: 3, name: 'main', source: 'openai' as const, has_key: false, mapping: null }];
const siteWith = (...rows: ReportRow[]) =>
  new FakeServer()
    .answer(reconciliationApi.list, [report])
    .answer(reconciliationApi.channels, channels)
    .answer(reconciliationApi.compare, compared(...rows));
const emptySite = () => siteWith().answer(reconciliationApi.list, []);

test('each row has both sides; a row opens into its calls, which the log shows', async () => {
  const user = renderPage('/reconciliation', { server: siteWith(row(), differing), as: people.root });
  const found = await screen.findByRole('row', { name: /o1/ });
  expect(found.textContent).toMatch(/2026-11-19DiffersDay not over.*1,0001,200.*\$1\.00\$1\.20/);
  await expect.poll(shown).toMatch(/Vendor: 2,200/);
  expect(shown()).toContain('In each cell, ours is above and the vendor’s below');
  await user.click(within(found).getByRole('button'));
  await expect.poll(shown).toMatch(/Compared together: o1, o1-2024-12-17/);
  const href = screen.getByRole('link', { name: 'View in log' }).getAttribute('href')!;
  expect(decodeURIComponent(href)).toMatch(new RegExp(`channel=3.*model==fast`));
  expect(href).toContain(`start=${day}&end=${day + 86_399}`);
});

test('only differences are shown on request, with the tolerance of the server', async () => {
  const server = siteWith(row(), differing);
  const user = renderPage('/reconciliation?tolerance=5', { server, as: people.root });
  await screen.findByRole('row', { name: /gpt-4o/ });
  expect(server.inputs(reconciliationApi.compare).at(-1)).toMatchObject({ report: 7, tolerance: 5 });
  await user.click(screen.getByRole('switch', { name: 'Differences only' }));
  await expect.poll(() => screen.queryByRole('row', { name: /gpt-4o/ })).toBeNull();
  expect(screen.getByRole('row', { name: /o1/ })).toBeTruthy();
});

const state = (given: Partial<UsageFetch>): UsageFetch => ({
  id: 'f1',
  state: 'running',
  pages: 3,
  report: 0,
  fault: null,
  detail: '',
  retry_after: 0,
  ...given,
});

/** Opens a field and selects one of its options. */
const choose = async (user: ReturnType<typeof renderPage>, field: string, choice: string) => {
  const combobox = await screen.findByRole('combobox', { name: new RegExp(`^${field}( \\*)?$`) });
  await user.click(combobox);
  const list = await waitFor(() => {
    const found = document.getElementById(combobox.getAttribute('aria-controls') ?? '');
    if (!found) throw new Error(`${field} has not opened`);
    return found;
  });
  await user.click(await within(list).findByRole('option', { name: choice, hidden: true }));
};

const chooseMain = async (user: ReturnType<typeof renderPage>) => {
  await user.click(await screen.findByRole('button', { name: 'Fetch usage' }));
  await choose(user, 'Channels', 'main (3)');
};

test('a key is stored, the vendor is queried, and its refusal is shown', async () => {
  const server = emptySite()
    .answer(reconciliationApi.saveKey, null)
    .answer(reconciliationApi.fetch, { id: 'f1' })
    .answer(
      reconciliationApi.progress,
      state({ state: 'failed', fault: 'rate_limited', detail: '429: slow down', retry_after: 20 }),
    );
  const user = renderPage('/reconciliation', { server, as: people.root });
  await expect.poll(shown).toContain('No reports yet');
  await chooseMain(user);
  await user.type(screen.getByLabelText('Admin key'), 'sk-admin');
  await user.click(screen.getByRole('button', { name: 'Fetch' }));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/limiting requests.*429: slow down.*in 20 seconds.*Nothing was saved/);
  expect(server.inputs(reconciliationApi.saveKey)).toEqual([{ channel: 3, key: 'sk-admin' }]);
  expect(server.inputs(reconciliationApi.fetch)).toMatchObject([{ source: 'openai', channels: [3] }]);
});

test('a file is read by its columns, which are found by their names; a chosen one wins', async () => {
  const server = emptySite()
    .answer(reconciliationApi.preview, {
      columns: ['Day', 'Model', 'Cost', 'Tax'],
      rows: [['a', 'b', 'c', 'd']],
      problem: '',
    })
    .answer(reconciliationApi.upload, { id: 7 });
  const user = renderPage('/reconciliation', { server, as: people.root });
  await chooseMain(user);
  await user.click(screen.getByRole('radio', { name: 'A CSV file' }));
  const input = document.querySelector<HTMLInputElement>('input[type=file]')!;
  await user.upload(input, new File(['Day;Model;Cost;Tax\n'], 'bill.csv', { type: 'text/csv' }));
  await choose(user, 'Cost', 'Tax');
  expect(server.inputs(reconciliationApi.preview).at(-1)).toMatchObject({ delimiter: ';' });
  server.answer(reconciliationApi.list, [report]).answer(reconciliationApi.compare, compared(row()));
  await user.click(screen.getByRole('button', { name: 'Import' }));
  await screen.findByRole('row', { name: /gpt-4o/ });
  expect(server.inputs(reconciliationApi.upload)).toMatchObject([
    {
      channels: [3],
      name: 'bill.csv',
      mapping: { delimiter: ';', date: 'Day', model: 'Model', cost: 'Tax', input: '' },
    },
  ]);
});

test('reports that fail to load can be loaded again', async () => {
  const server = siteWith(row()).refuse(reconciliationApi.list, 'The store is closed');
  const user = renderPage('/reconciliation', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('The store is closed');
  server.answer(reconciliationApi.list, []);
  await tryAgain(user);
  await expect.poll(shown).toContain('还没有用量报告');
});

test('only root may open it', async () => {
  const server = siteWith();
  renderPage('/reconciliation', { server, as: people.admin });
  await expect.poll(shown).toContain('This page is for');
  expect(server.inputs(reconciliationApi.list)).toEqual([]);
});
