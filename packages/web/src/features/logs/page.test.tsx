import { screen, within } from '@testing-library/react';
import {
  budgetApi,
  logApi,
  maxRunCalls,
  logType,
  receiptApi,
  statementApi,
  statusApi,
  type LogData,
} from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people, statusSample } from '../../testing/samples.ts';
import { logSample, receiptSample, runSample } from '../../testing/usage-samples.ts';

const pageOf = (...rows: LogData[]) => ({ ...pageWith(...rows), exact: true });
const unfold = 'Expand';
const sums = { quota: 10_000, team_quota: 0, refunded: 0, team_refunded: 0, rpm: 2, tpm: 300 };
const siteWith = (...rows: LogData[]) =>
  new FakeServer()
    .answer(logApi.ownList, pageOf(...rows))
    .answer(logApi.ownStat, sums)
    .answer(logApi.list, pageOf(...rows))
    .answer(logApi.stat, sums)
    .answer(receiptApi.get, receiptSample());

test('calls are listed with their use and cost, below their sum', async () => {
  renderPage('/log', { server: siteWith(logSample()), as: people.user });
  const row = await screen.findByRole('row', { name: /gpt-4o/ });
  expect(row.textContent).toMatch(/gpt-4o.*\$0\.02.*100.*50.*ci/);
  await expect.poll(shown).toMatch(/Spent.*\$0\.02/);
});

test.each(['模型测试', 'Model test'])(
  'the price of a channel test (%s) is shown as not charged',
  async (name) => {
    renderPage('/log', {
      server: siteWith(logSample({ token_id: 0, token_name: name, quota: 500 })),
      as: people.user,
    });
    expect((await screen.findByTitle('Channel test: not charged')).textContent).toBe('$0.001000');
    expect(shown()).toContain('not charged');
  },
);

test('what was given back is subtracted from what was spent', async () => {
  const back = { ...sums, refunded: 7_500, team_quota: 5_000, team_refunded: 5_000 };
  const server = siteWith(logSample()).answer(logApi.ownStat, back);
  renderPage('/log', { server, as: people.user });
  await expect.poll(shown).toMatch(/Spent\s*\$0\.005000After refunds of \$0\.015/);
  expect(shown()).not.toContain('Of it paid by organisations');
});

test('charges are split by the values of a tag, and each leads to its calls', async () => {
  const server = siteWith(logSample({ tags: '{"team":"a,b"}', request_id: 'req-9' })).answer(
    logApi.ownTagSums,
    [{ value: 'a,b', quota: 9_000, refunded: 4_000, calls: 3 }],
  );
  const user = renderPage('/log?by=team', { server, as: people.user });
  const row = await screen.findByRole('row', { name: /team=a%2Cb/ });
  expect(row.textContent).toMatch(/\$0\.01.*3/);
  expect(server.inputs(logApi.ownTagSums)[0]).toMatchObject({ name: 'team' });
  await user.click(within(row).getByRole('link'));
  await expect.poll(() => server.inputs(logApi.ownList).at(-1)).toMatchObject({ tag: 'team=a%2Cb' });
  await user.click(
    within(await screen.findByRole('row', { name: /gpt-4o/ })).getByRole('button', { name: unfold }),
  );
  await screen.findByRole('link', { name: 'team=a%2Cb' });
});

test('the calls of a run have its limits and sub-runs above them, which can be changed', async () => {
  const run = runSample({
    run: 'nightly',
    amount: 1_000_000,
    used: 250_000,
    held: 50_000,
    calls: 7,
    max_calls: 9,
    key_hint: 'runA…xyz1',
    subject: 'laptop',
  });
  const part = runSample({ id: 8, run: 'nightly/search', mode: 'soft', used: 1_500, calls: 1 });
  const others = ['nightly/sort', 'nightly/search/web'].map((path, n) => runSample({ id: 9 + n, run: path }));
  const server = siteWith(logSample())
    .answer(budgetApi.runs, [run, part, ...others])
    .answer(budgetApi.update, run);
  const user = renderPage('/log?tag=run%3Dnightly', { server, as: people.user });
  await expect
    .poll(shown)
    .toMatch(
      /Run nightly.*\$0\.50 used.*\$0\.10 held.*\$1\.40 left.*7 of 9 calls.*Key sk-runA…xyz1, made by “laptop”.*nightly\/search.*<\$0\.01 used1 callends/,
    );
  expect(server.inputs(budgetApi.runs)).toEqual([{}, { run: 'nightly' }]);
  const tree = within(screen.getByRole('list', { name: 'Sub-runs' })).getAllByRole('link');
  expect(tree.map(({ textContent }) => textContent)).toEqual([
    'nightly/search',
    'nightly/search/web',
    'nightly/sort',
  ]);
  await user.click(screen.getByRole('button', { name: 'Change' }));
  const calls = await screen.findByRole('textbox', { name: 'Maximum number of calls' });
  await user.clear(calls);
  await user.type(calls, '20');
  await user.click(screen.getByRole('switch', { name: /Accepts calls/ }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await expect
    .poll(() => server.inputs(budgetApi.update))
    .toEqual([{ id: run.id, amount: 1_000_000, max_calls: 20, enabled: false }]);
  server.answer(budgetApi.runs, [runSample({ run: 'nightly/search', max_calls: maxRunCalls })]);
  await user.click(screen.getByRole('link', { name: 'nightly/search' }));
  await expect.poll(() => server.inputs(budgetApi.runs).at(-1)).toEqual({ run: 'nightly/search' });
  // Calls without a limit have no number.
  await user.click(await screen.findByRole('button', { name: 'Change' }));
  const unlimited = await screen.findByRole('textbox', { name: 'Maximum number of calls' });
  expect(unlimited).toHaveProperty('value', '');
});

test('managers see the run of a member without rows of their own log', async () => {
  const server = siteWith(logSample()).answer(budgetApi.runs, [runSample({ run: 'nightly', used: 250_000 })]);
  renderPage('/log?tag=run%3Dnightly&username=bob', { server, as: people.user });
  await expect.poll(shown).toMatch(/Run nightly.*\$0\.50 used/);
  expect(server.inputs(budgetApi.runs)).toEqual([{ run: 'nightly', username: 'bob' }]);
  expect(screen.queryByRole('button', { name: /Export/ })).toBeNull();
  expect(server.inputs(logApi.ownList)).toEqual([]);
  server.answer(budgetApi.runs, []);
  renderPage('/log?tag=run%3Dgone&username=bob', { server, as: people.user });
  await expect.poll(shown).toContain('No such run');
});

test('the receipt of a run has its entries by pages, and is downloaded as a file', async () => {
  const entry = { at: 1_790_000_100, kind: 'usage', amount: -250, request_id: 'req-1' };
  const server = siteWith(logSample())
    .answer(budgetApi.runs, [runSample({ run: 'nightly', user_id: 3 })])
    .answer(statementApi.run, ({ after }) => ({
      run: 'nightly',
      charged: 240,
      calls: 1,
      entries: after === 0 ? [entry] : [{ ...entry, kind: 'refund', amount: 10, request_id: '' }],
      next: after === 0 ? 70 : null,
    }));
  const user = renderPage('/log?tag=run%3Dnightly&username=ann', { server, as: people.admin });
  await user.click(await screen.findByRole('button', { name: 'Receipt' }));
  const call = await screen.findByRole('link', { name: 'req-1' });
  expect(call.getAttribute('href')).toContain('request=req-1');
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  await screen.findByRole('row', { name: /Refunds/ });
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  const asked = { run: 'nightly', username: 'ann' };
  await user.click(screen.getByRole('button', { name: 'Download CSV' }));
  await expect
    .poll(() => server.inputs(statementApi.run))
    .toEqual([
      { ...asked, after: 0, format: 'json' },
      { ...asked, after: 70, format: 'json' },
      { ...asked, after: 0, format: 'csv' },
    ]);
});

test('charges are exported in columns of FOCUS, as the list is filtered', async () => {
  const server = siteWith(logSample()).answer(logApi.focus, { version: '1.2', columns: [] });
  const user = renderPage('/log?range=custom&start=1790000000&token=ci', { server, as: people.admin });
  await user.click(await screen.findByRole('button', { name: 'Export CSV' }));
  await user.click(await screen.findByRole('menuitem', { name: /FOCUS 1.2/, hidden: true }));
  await screen.findByText('All charges are exported');
  const asked = { start_timestamp: 1_790_000_000, end_timestamp: 0, token_name: 'ci' };
  expect(server.inputs(logApi.focus)).toMatchObject([asked]);
});

test('an export in columns of FOCUS shows the number of rows so far, and stops', async () => {
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }),
  );
  let pieces!: ReadableStreamDefaultController<Uint8Array>;
  const content = () => new ReadableStream<Uint8Array>({ start: (given) => void (pieces = given) });
  const server = siteWith(logSample()).file(logApi.ownFocus, content);
  const user = renderPage('/log', { server, as: people.user });
  const start = async () => {
    await user.click(await screen.findByRole('button', { name: 'Export CSV' }));
    await user.click(await screen.findByRole('menuitem', { name: /FOCUS 1.2/, hidden: true }));
    await screen.findByRole('button', { name: 'Stop export' });
  };
  const send = (text: string) => pieces.enqueue(new TextEncoder().encode(text));
  await start();
  send('head\r\n1,a\r\n2,');
  await screen.findByRole('button', { name: /Stop.*1 row/ });
  send('b\r\n3,c\r\n');
  await screen.findByRole('button', { name: /Stop.*3 rows/ });
  pieces.close();
  await screen.findByText('All charges are exported');
  await start();
  send('head\r\n1,a\r\n');
  await user.click(await screen.findByRole('button', { name: /Stop.*1 row/ }));
  pieces.error(new DOMException('stopped', 'AbortError'));
  await screen.findByRole('button', { name: 'Export CSV' });
  expect(server.inputs(logApi.ownFocus)).toHaveLength(2);
});

test('while older entries cannot be read the newest are shown, with what is missing', async () => {
  const server = siteWith(logSample()).answer(logApi.ownList, {
    ...pageOf(logSample()),
    older_missing: true,
  });
  server.fail(logApi.ownStat, 503);
  renderPage('/log', { server, as: people.user });
  await screen.findByRole('row', { name: /gpt-4o/ });
  await screen.findByText(/Older entries.*cannot be read now/);
  expect(shown()).not.toMatch(/Spent\s*\$/);
});

test('a row unfolds to its receipt, and the receipt agrees with the ledger', async () => {
  const server = siteWith(logSample({ request_id: 'req-9' }));
  const user = renderPage('/log', { server, as: people.user });
  const row = await screen.findByRole('row', { name: /gpt-4o/ });
  await user.click(within(row).getByRole('button', { name: unfold }));
  await expect.poll(shown).toContain('Matches the ledger');
  expect(server.inputs(receiptApi.get)).toEqual([{ request: 'req-9' }]);
});

test('a signed receipt is downloaded, and announced where it is not made yet', async () => {
  const server = siteWith(logSample({ request_id: 'req-9' })).answer(
    statusApi.status,
    statusSample({ signed_receipts: true }),
  );
  server.answer(receiptApi.get, receiptSample({ signed: ['{"body":{}}'] }));
  const saved: Blob[] = [];
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (file: Blob) => `blob:${saved.push(file)}`,
      revokeObjectURL: () => undefined,
    }),
  );
  const user = renderPage('/log', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: unfold }));
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  expect(await saved[0]!.text()).toBe('{"body":{}}\n');
  expect(shown()).toContain('Check it offline with the command tollgate verify.');
});

test('a receipt that is not signed yet says so, where the site signs', async () => {
  const server = siteWith(logSample({ request_id: 'req-9' })).answer(
    statusApi.status,
    statusSample({ signed_receipts: true }),
  );
  const user = renderPage('/log', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: unfold }));
  await expect.poll(shown).toContain('It is made within minutes');
});

test.each([
  ['does not say that it matches', true, false],
  ['says so where it is wrong', false, true],
])('a receipt without an entry in the ledger %s', async (_what, matches, mentionsLedger) => {
  const server = siteWith(logSample({ request_id: 'req-9' }));
  server.answer(receiptApi.get, receiptSample({ ledger: null, matches }));
  const user = renderPage('/log', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: unfold }));
  await expect.poll(shown).toContain('Receipt');
  expect(shown().includes('the ledger')).toBe(mentionsLedger);
});

test('a receipt shows the charge, what was corrected with its reason, and the sum', async () => {
  const adjustments = [
    { at: 1_790_000_000, difference: -4_000, reason: 'mistyped', undone: false, refund: false },
    { at: 1_790_000_100, difference: 1_000, reason: 'too much', undone: true, refund: false },
  ];
  const server = siteWith(logSample({ request_id: 'req-9' }));
  server.answer(receiptApi.get, receiptSample({ adjustments, charged_in_all: 7_000 }));
  const user = renderPage('/log', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: unfold }));
  await expect.poll(shown).toContain('Correction: mistyped-$0.008000');
  expect(shown()).toMatch(
    /Total\$0\.020000.*Correction undone: too much\$0\.002000.*Total with corrections\$0\.014000/,
  );
});

test('a receipt of a task that failed shows its charge, the refund with its reason, and what is left', async () => {
  const back = {
    at: 1_790_000_000,
    difference: -10_000,
    reason: 'banned prompt',
    undone: false,
    refund: true,
  };
  const server = siteWith(logSample({ request_id: 'req-9' }));
  server.answer(receiptApi.get, receiptSample({ adjustments: [back], charged_in_all: 0 }));
  const user = renderPage('/log', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: unfold }));
  await expect.poll(shown).toMatch(/Refund: banned prompt-\$0\.020000Total after refunds\$0\.000000/);
});

test('the open receipt is in the address, and not once it is folded', async () => {
  const row = logSample({ request_id: 'req-9' });
  const open = `${row.id}-${row.created_at}-req-9`;
  const user = renderPage('/log', { server: siteWith(row), as: people.user });
  await user.click(await screen.findByRole('button', { name: unfold }));
  await expect.poll(() => window.location.search).toContain(`open=${open}`);
  await user.click(screen.getByRole('button', { name: 'Collapse' }));
  await expect.poll(() => window.location.search).not.toContain('open=');
});

test('an address with an open receipt opens it', async () => {
  const row = logSample({ request_id: 'req-9' });
  const server = siteWith(row);
  renderPage(`/log?open=${row.id}-${row.created_at}-req-9`, { server, as: people.user });
  await expect.poll(shown).toContain('Matches the ledger');
  expect(server.inputs(receiptApi.get)).toEqual([{ request: 'req-9' }]);
});

test('administrators see the rows of all users, and why a call failed', async () => {
  const other = JSON.stringify({ status_code: 429, error_code: 'too_many', admin_info: {} });
  const failed = logSample({ type: logType.error, username: 'eve', content: 'too busy', other });
  const server = siteWith(failed);
  const user = renderPage('/log', { server, as: people.admin });
  const row = await screen.findByRole('row', { name: /eve/ });
  await user.click(within(row).getByRole('button', { name: unfold }));
  await expect.poll(shown).toMatch(/Returned to caller.*429/);
  expect(server.inputs(logApi.ownList)).toEqual([]);
});

test('an ordinary call has no mark, and names its channel in its row and on its route', async () => {
  const route = {
    channel: 3,
    upstream_model: 'gpt-4o',
    tries: [{ channel: 3, name: 'main', ms: 120 }],
  };
  const server = siteWith(logSample({ channel_name: 'main' })).answer(
    receiptApi.get,
    receiptSample({ route }),
  );
  const user = renderPage('/log', { server, as: people.admin });
  const row = await screen.findByRole('row', { name: /gpt-4o/ });
  const type = within(row).getByText('Usage').closest('[data-tone]');
  expect(type?.getAttribute('data-tone')).toBe('neutral');
  const inRow = within(row).getByRole('link', { name: '#3 main' });
  expect(inRow.getAttribute('href')).toMatch(/^\/channel\?edit=.*3/);
  await user.click(within(row).getByRole('button', { name: unfold }));
  const onRoute = await screen.findByRole('link', { name: 'main' });
  expect(onRoute.getAttribute('href')).toBe(inRow.getAttribute('href'));
});

test('what an organisation paid is marked in its row, its receipt and the sum, and can be filtered', async () => {
  const paid = logSample({ team_id: 4, team_name: 'Research' });
  const server = siteWith(paid).answer(logApi.ownStat, { ...sums, team_quota: 5_000 });
  const user = renderPage('/log', { server, as: people.user });
  const row = await screen.findByRole('row', { name: /gpt-4o/ });
  // The amount is last, so that its digits align with those of rows without a tag.
  expect(within(row).getByRole('link', { name: 'Research' }).closest('td')?.textContent).toMatch(
    /^Research\$/,
  );
  await expect.poll(shown).toMatch(/Of it paid by organisations\$0\.010000/);
  await user.click(within(row).getByRole('button', { name: unfold }));
  await expect.poll(shown).toContain('the organisation “Research”');
  await user.click(within(row).getByRole('link', { name: 'Research' }));
  await expect.poll(() => server.inputs(logApi.ownList).at(-1)?.payer).toBe('4');
});

test('a period without rows shows a message', async () => {
  renderPage('/log', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('这个时间范围内没有符合条件的记录。');
});

test('rows that fail to load show an error and can be loaded again', async () => {
  const server = siteWith().fail(logApi.ownList);
  const user = renderPage('/log', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(logApi.ownList, pageOf(logSample({ model_name: 'late-model' })));
  await tryAgain(user);
  await expect.poll(shown).toContain('late-model');
});

test('a model is searched anywhere in the stored name', async () => {
  const server = siteWith(logSample());
  const user = renderPage('/log', { server, as: people.user });
  await user.type(await screen.findByRole('textbox', { name: 'Model' }), '4o{Enter}');
  await expect.poll(() => server.inputs(logApi.ownList).at(-1)?.model_name).toBe('%4o%');
});

const drawing = {
  task_id: 'task_1',
  task_platform: 'mj',
  task_action: 'IMAGINE',
  model_price: 0.1,
  group_ratio: 1,
};

test('the receipt of a video shows how its price is computed, and links to it', async () => {
  const other = {
    ...drawing,
    task_platform: 'video',
    task_action: 'textGenerate',
    task_seconds: 8,
    call_count: 1,
    call_factor: 24,
  };
  const row = logSample({ model_name: 'sora-2', other: JSON.stringify(other) });
  const user = renderPage('/log', { server: siteWith(row), as: people.user });
  const shownRow = await screen.findByRole('row', { name: /sora-2/ });
  expect(within(shownRow).getByRole('link', { name: 'Task' }).getAttribute('href')).toMatch(
    /^\/task\?.*task_1/,
  );
  await user.click(within(shownRow).getByRole('button', { name: unfold }));
  await expect.poll(shown).toContain('8 s × 3 (size and quality) = 24 times the price');
});

test('the receipt of what an application sold shows its description and its hold', async () => {
  const other = {
    usage_source: 'application',
    sale: { id: 'hold_1', description: '120 pages', held: 250_000 },
  };
  const row = logSample({ model_name: 'app:ocr-pages', other: JSON.stringify(other) });
  const server = siteWith(row);
  const term = { what: 'calls' as const, count: 1, unit: '250000', amount: '250000' };
  server.answer(receiptApi.get, receiptSample({ bill: { terms: [term], minimum: 0, computed: 250_000 } }));
  const user = renderPage('/log', { server, as: people.user });
  const shownRow = await screen.findByRole('row', { name: /app:ocr-pages/ });
  await user.click(within(shownRow).getByRole('button', { name: unfold }));
  await expect
    .poll(shown)
    .toMatch(/Sold by an application1\$0\.5.*Description120 pages.*hold_1.*Held\$0\.50/);
});

test('the row of a refund shows amount and reason, and links to the task and its charge', async () => {
  const other = { ...drawing, refund_of: 'req-1', charged: 50_000, reason: 'banned prompt' };
  const row = logSample({
    type: logType.refund,
    model_name: 'mj_imagine',
    quota: 50_000,
    other: JSON.stringify(other),
  });
  const user = renderPage('/log', { server: siteWith(row), as: people.user });
  const shownRow = await screen.findByRole('row', { name: /mj_imagine/ });
  await user.click(within(shownRow).getByRole('button', { name: unfold }));
  await expect
    .poll(shown)
    .toMatch(/banned prompt.*Originally charged\$0\.10.*Refunded\$0\.10.*One price for each action/);
  expect(screen.getByRole('link', { name: 'task_1' }).getAttribute('href')).toMatch(
    /^\/midjourney\?.*task_1/,
  );
  expect(screen.getByRole('link', { name: 'Show the charge' }).getAttribute('href')).toMatch(
    /^\/log\?.*req-1/,
  );
});

test('a correction is labelled as one, shows amount and reason, and links to its charge, and for root to the whole correction', async () => {
  const other = JSON.stringify({ rerating: 4, correction_of: 'req-1', charged: 50_000 });
  const row = logSample({ type: logType.refund, content: 'mistyped', quota: 25_000, other });
  const user = renderPage('/log', { server: siteWith(row), as: people.root });
  const shownRow = await screen.findByRole('row', { name: /gpt-4o/ });
  expect(shownRow.textContent).toMatch(/Correction.*-\$0\.05/);
  await user.click(within(shownRow).getByRole('button', { name: unfold }));
  await expect.poll(shown).toMatch(/Reasonmistyped.*Originally charged\$0\.10.*Refunded\$0\.05/);
  expect(screen.getByRole('link', { name: 'Show the charge' }).getAttribute('href')).toMatch(/req-1/);
  expect(screen.getByRole('link', { name: '#4' }).getAttribute('href')).toBe('/correction?open=4');
});
