import { screen, within } from '@testing-library/react';
import { auditApi, type AuditData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { auditSample } from '../../testing/audit-sample.ts';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const siteWith = (...items: AuditData[]) => new FakeServer().answer(auditApi.list, { items, next: null });
const row = (name: RegExp) => screen.findByRole('row', { name });

test('each row has time, action, actor and target; unfolded, the changes before and after', async () => {
  const changes = {
    group: { before: 'default', after: 'vip' },
    remark: { before: null, after: 'vip since May' },
  };
  const user = renderPage('/audit', { server: siteWith(auditSample({ changes })), as: people.root });
  const found = await row(/User edited/);
  expect(found.textContent).toMatch(/grace.*User ada.*Group → vip/);
  await user.click(within(found).getByRole('button', { name: 'Expand' }));
  const table = await screen.findByRole('table', { name: 'What changed' });
  expect(table.textContent).toMatch(/Groupdefaultvip.*Remarknonevip since May/);
});

test('amounts, states, roles and organisations are readable', async () => {
  const changes = { quota: { before: 0, after: 2_500_000 }, status: { before: 1, after: 2 } };
  const moved = auditSample({ changes, note: { amount: 2_500_000, reason: 'contract 7' } });
  const team = { id: 2, target_type: 'team', target_name: 'Research', note: { in: 500_000 }, changes: {} };
  const server = siteWith(moved, auditSample(team));
  renderPage('/audit', { server, as: people.root, language: 'zh' });
  expect((await row(/contract 7/)).textContent).toContain(
    '额度 → $5.00, 状态 → 已封禁, 变动 $5.00, 原因 contract 7',
  );
  expect((await row(/Research/)).textContent).toMatch(/组织 Research.*转入 \$1\.00/);
});

test('a failed action has its reason', async () => {
  const failed = auditSample({ kind: 'sign_in', outcome: 'wrong_password', actor_id: 0, actor_name: '' });
  renderPage('/audit', { server: siteWith(failed), as: people.root, language: 'zh' });
  expect((await row(/登录: 密码错误/)).textContent).toContain('未登录');
});

test('the filters of the address are applied, and a click on an actor filters by them', async () => {
  const server = siteWith(auditSample());
  const user = renderPage('/audit?kind=user.update&text=vip&range=all', { server, as: people.root });
  await user.click(within(await row(/User edited/)).getByRole('button', { name: 'grace' }));
  await expect
    .poll(() => server.inputs(auditApi.list).at(-1))
    .toMatchObject({
      kind: 'user.update',
      text: 'vip',
      actor: 'grace',
      start_timestamp: 0,
    });
});

test('older rows load after the last one shown', async () => {
  const server = new FakeServer().answer(auditApi.list, ({ before }) =>
    before === 0
      ? { items: [auditSample({ id: 9 })], next: 9 }
      : { items: [auditSample({ id: 8, target_name: 'eve' })], next: null },
  );
  const user = renderPage('/audit', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Older records' }));
  await row(/eve/);
  expect(server.inputs(auditApi.list).at(-1)).toMatchObject({ before: 9 });
  expect(screen.queryByRole('button', { name: 'Older records' })).toBeNull();
});

test('an empty list shows a message; a list that fails can be loaded again', async () => {
  const server = siteWith().refuse(auditApi.list, 'The store is closed');
  const user = renderPage('/audit', { server, as: people.root });
  await expect.poll(shown).toContain('The store is closed');
  server.answer(auditApi.list, { items: [], next: null });
  await tryAgain(user);
  await expect.poll(shown).toContain('No matching records');
});

test('only root may open it', async () => {
  const server = siteWith();
  renderPage('/audit', { server, as: people.admin });
  await expect.poll(shown).toContain('This page is for');
  expect(server.inputs(auditApi.list)).toEqual([]);
});
