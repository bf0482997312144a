import { screen, within } from '@testing-library/react';
import { redemptionApi, redemptionStatus, type RedemptionData } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people, redemptionSample } from '../../testing/samples.ts';

const siteWith = (...codes: RedemptionData[]) =>
  new FakeServer().answer(redemptionApi.list, pageWith(...codes));

test('codes are listed with their value and who redeemed them', async () => {
  const used = { status: redemptionStatus.used, used_user_id: 7 };
  const server = siteWith(
    redemptionSample({ name: 'spring' }),
    redemptionSample({ id: 2, name: 'old', ...used }),
  );
  renderPage('/redemption', { server, as: people.admin });
  expect((await screen.findByRole('row', { name: /spring/ })).textContent).toMatch(/Unused.*\$0\.20/);
  expect((await screen.findByRole('row', { name: /old/ })).textContent).toMatch(/Used.*7/);
});

test('a code is shortened in the list until it is asked for', async () => {
  const whole = 'c0de0000c0de0000c0de0000c0de0000';
  const server = siteWith(redemptionSample({ id: 5, name: 'spring' })).answer(redemptionApi.reveal, whole);
  const user = renderPage('/redemption', { server, as: people.admin });
  const row = await screen.findByRole('row', { name: /spring/ });
  expect(row.textContent).toContain('c0de…0000');
  await user.click(within(row).getByRole('button', { name: 'Show the code' }));
  await expect.poll(() => row.textContent).toContain(whole);
  expect(server.inputs(redemptionApi.reveal)).toEqual([{ id: 5 }]);
});

test('a site without codes offers to create some', async () => {
  renderPage('/redemption', { server: siteWith(), as: people.admin, language: 'zh' });
  await expect.poll(shown).toContain('还没有兑换码');
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith().refuse(redemptionApi.list, 'The store is closed');
  const user = renderPage('/redemption', { server, as: people.admin });
  await expect.poll(shown).toContain('The store is closed');
  server.answer(redemptionApi.list, pageWith(redemptionSample({ name: 'again' })));
  await tryAgain(user);
  await expect.poll(shown).toContain('again');
});

test('new codes are created from the form and shown for copying', async () => {
  const server = siteWith().answer(redemptionApi.create, ['c0de1', 'c0de2']);
  const user = renderPage('/redemption?edit=new', { server, as: people.admin });
  const form = await screen.findByRole('dialog', { name: 'Create codes' });
  await user.type(within(form).getByRole('textbox', { name: 'Name' }), 'may');
  const count = within(form).getByLabelText('How many');
  await user.clear(count);
  await user.type(count, '2');
  await user.click(within(form).getByRole('button', { name: 'Create' }));
  const made = await screen.findByRole('dialog', { name: '2 codes created' });
  expect(made.textContent).toContain('c0de1\nc0de2');
  expect(server.inputs(redemptionApi.create)).toEqual([
    { name: 'may', quota: 100_000, count: 2, expired_time: 0, use_within_days: null },
  ]);
});

test('the days within which the credit of a code is used are entered, shown and cleared', async () => {
  const code = redemptionSample({ id: 5, name: 'spring', use_within_days: 30 });
  const server = siteWith(code).answer(redemptionApi.update, code);
  const user = renderPage('/redemption?edit=5', { server, as: people.admin });
  const form = await screen.findByRole('dialog', { name: 'Edit the code' });
  const days = within(form).getByLabelText<HTMLInputElement>('Use within (days)');
  await expect.poll(() => days.value).toBe('30');
  await user.clear(days);
  await user.click(within(form).getByRole('button', { name: 'Save' }));
  await expect.poll(() => server.inputs(redemptionApi.update)).toMatchObject([{ use_within_days: null }]);
  expect((await screen.findByRole('row', { name: /spring/ })).textContent).toContain('30');
});

test('a code that has expired says so, and the invalid ones are deleted by one click', async () => {
  const server = siteWith(redemptionSample({ name: 'over', expired_time: 1 })).answer(
    redemptionApi.removeInvalid,
    3,
  );
  const user = renderPage('/redemption', { server, as: people.admin });
  expect((await screen.findByRole('row', { name: /over/ })).textContent).toContain('Expired');
  await user.click(screen.getByRole('button', { name: 'Delete invalid codes' }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Delete all invalid codes?' })).getByRole('button', {
      name: 'Delete',
    }),
  );
  await expect.poll(() => server.inputs(redemptionApi.removeInvalid)).toEqual([{}]);
});

test('a name may have as many characters as the server accepts, in any script', async () => {
  const server = siteWith().answer(redemptionApi.create, ['c0de1']);
  const user = renderPage('/redemption?edit=new', { server, as: people.admin });
  const form = await screen.findByRole('dialog', { name: 'Create codes' });
  const name = within(form).getByRole('textbox', { name: 'Name' });
  const create = within(form).getByRole('button', { name: 'Create' });
  await user.click(name);
  await user.paste('春'.repeat(21));
  await user.click(create);
  await within(form).findByText('A name can have at most 20 characters');
  await user.type(name, '{Backspace}');
  await user.click(create);
  await screen.findByRole('dialog', { name: '1 code created' });
  expect(server.inputs(redemptionApi.create)).toMatchObject([{ name: '春'.repeat(20) }]);
});

test('an ordinary user is shown that it is for administrators, and nothing is requested', async () => {
  const server = siteWith();
  renderPage('/redemption', { server, as: people.user });
  await expect.poll(shown).toContain('This page is for administrators.');
  expect(server.inputs(redemptionApi.list)).toEqual([]);
});

test('the address of a code that is not in sight opens that code, never the form of a new one', async () => {
  const server = siteWith().answer(redemptionApi.get, redemptionSample({ id: 40, name: 'elsewhere' }));
  renderPage('/redemption?edit=40', { server, as: people.admin });
  const form = await screen.findByRole('dialog', { name: 'Edit the code' });
  expect(within(form).getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('elsewhere');
});

test('the address of a code that is gone says so', async () => {
  const server = siteWith().refuse(redemptionApi.get, 'There is no such code');
  renderPage('/redemption?edit=40', { server, as: people.admin });
  const drawer = await screen.findByRole('dialog', { name: 'Edit the code' });
  await expect.poll(() => drawer.textContent).toContain('There is no such code');
});

test('what a code is worth is shown to the last digit, and who redeemed it is one click away', async () => {
  const used = { status: redemptionStatus.used, used_user_id: 7 };
  const server = siteWith(redemptionSample({ name: 'small', quota: 1_234, ...used }));
  renderPage('/redemption', { server, as: people.admin });
  const row = await screen.findByRole('row', { name: /small/ });
  expect(row.textContent).toContain('$0.002468');
  expect(within(row).getByRole('link', { name: '#7' }).getAttribute('href')).toContain('/user?edit=7');
});
