import { screen, within } from '@testing-library/react';
import {
  authApi,
  type FactorStatus,
  oauthApi,
  passkeyApi,
  secondFactorApi,
  groupApi,
  selfApi,
  statusApi,
  userApi,
  type UserData,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { factorsSample, people, sampleTime, statusSample, userSample } from '../../../testing/samples.ts';

const site = (factors: Partial<FactorStatus> = {}, self: Partial<UserData> = {}) =>
  new FakeServer()
    .answer(selfApi.get, userSample(self))
    .answer(selfApi.models, [])
    .answer(selfApi.aff, 'Ab3D')
    .answer(authApi.sessions, [])
    .answer(secondFactorApi.status, factorsSample(factors))
    .answer(passkeyApi.list, { enabled: false, passkeys: [] });
const panel = () => within(document.getElementById('two-step') ?? document.body);
const openDialog = async (name: RegExp) => within(await screen.findByRole('dialog', { name }));
const proposal = {
  secret: 'JBSWY3DPEHPK3PXP',
  qr_code_data: 'otpauth://totp/Acme:ada?secret=JBSWY3DPEHPK3PXP',
  backup_codes: ['AAAAA-BBBBB', 'CCCCC-DDDDD'],
};

test('an app is set up after the password was given again, and the recovery codes are shown once', async () => {
  const server = site()
    .refuse(secondFactorApi.setUp, 'Please enter your current password again', 'password_required')
    .answer(secondFactorApi.verify, () => {
      server.answer(secondFactorApi.setUp, proposal);
      return { verified: true, expires_at: sampleTime };
    })
    .answer(secondFactorApi.enable, null);
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Set up an app' }));
  const proof = await openDialog(/Confirm your identity/);
  await user.type(proof.getByLabelText('Current password'), 'a good password{Enter}');
  const setUp = await openDialog(/Set up an app/);
  setUp.getByRole('img', { name: 'QR code for the authenticator app' });
  setUp.getByText('JBSW Y3DP EHPK 3PXP');
  await user.type(setUp.getByLabelText('Code shown by the app'), '12345{Enter}');
  await setUp.findByText('Enter the 6-digit code');
  await user.type(setUp.getByLabelText('Code shown by the app'), '6{Enter}');
  const codes = await openDialog(/Save your recovery codes/);
  expect(codes.getAllByRole('listitem').map((item) => item.textContent)).toEqual(proposal.backup_codes);
  await user.click(codes.getByRole('button', { name: 'I have saved them' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(server.inputs(secondFactorApi.verify)).toEqual([{ method: 'password', code: 'a good password' }]);
  expect(server.inputs(secondFactorApi.enable)).toEqual([{ code: '123456' }]);
});

test('a user with a factor is asked for it, not for the password, and the call is repeated', async () => {
  const server = site(
    { enabled: true, backup_codes_remaining: 2 },
    { two_factor: true, github_id: '42', bindings: ['github'] },
  )
    .answer(statusApi.status, statusSample({ github_oauth: true }))
    .refuse(oauthApi.unbind, 'Confirm once more that it is you', 'verify_again')
    .answer(secondFactorApi.verify, () => {
      server.answer(oauthApi.unbind, null);
      return { verified: true, expires_at: sampleTime };
    });
  const user = renderPage('/personal', { server, as: people.user, language: 'zh' });
  await user.click(await screen.findByRole('button', { name: '解绑 GitHub' }));
  const first = await openDialog(/解绑 GitHub/);
  expect(first.queryByLabelText('请输入当前密码以继续')).toBeNull();
  await user.click(first.getByRole('button', { name: '解绑' }));
  const proof = await openDialog(/验证身份/);
  await user.type(proof.getByLabelText('验证码'), '123456{Enter}');
  await screen.findByText('已解绑');
  expect(server.inputs(oauthApi.unbind)).toHaveLength(2);
  expect(server.inputs(secondFactorApi.verify)).toEqual([{ method: '2fa', code: '123456' }]);
});

test('a closed dialog leaves everything as it is, and a wrong code is reported', async () => {
  const server = site({ enabled: true, backup_codes_remaining: 9 }, { two_factor: true })
    .refuse(secondFactorApi.disable, 'Confirm once more that it is you', 'verify_again')
    .refuse(secondFactorApi.verify, 'The code is wrong or was used before');
  const user = renderPage('/personal', { server, as: people.user });
  await user.click(await screen.findByRole('button', { name: 'Authenticator app: Turn off' }));
  await user.click(
    (await openDialog(/Turn off the authenticator app/)).getByRole('button', { name: 'Turn off' }),
  );
  const proof = await openDialog(/Confirm your identity/);
  await user.type(proof.getByLabelText('Code'), '000000{Enter}');
  await proof.findByText('The code is wrong or was used before');
  await user.click(proof.getByRole('button', { name: 'Cancel' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(server.inputs(secondFactorApi.disable)).toHaveLength(1);
  // No message repeats the user's own decision.
  expect(document.body.textContent).not.toContain('Confirm once more');
});

test('passkeys are listed with name and last use, and can be renamed and deleted', async () => {
  const passkey = { id: 4, name: 'laptop', created_time: sampleTime, used_time: 0, backed_up: true };
  const server = site({ passkeys: 1, backup_codes_remaining: 10 }, { two_factor: true })
    .answer(passkeyApi.list, { enabled: true, passkeys: [passkey] })
    .answer(passkeyApi.rename, null)
    .answer(passkeyApi.remove, null);
  const user = renderPage('/personal', { server, as: people.user });
  await expect.poll(() => panel().queryByText(/never used/)).not.toBeNull();
  panel().getByText('Synced');
  panel().getByText('10 left');
  await user.click(panel().getByRole('button', { name: 'Rename the passkey “laptop”' }));
  const form = await openDialog(/Rename/);
  await user.clear(form.getByLabelText('Name'));
  await user.type(form.getByLabelText('Name'), 'work laptop{Enter}');
  await screen.findByText('Passkey renamed');
  await user.click(panel().getByRole('button', { name: 'Delete the passkey “laptop”' }));
  await user.click((await openDialog(/Delete the passkey/)).getByRole('button', { name: 'Delete' }));
  await screen.findByText('Passkey deleted');
  expect(server.inputs(passkeyApi.rename)).toEqual([{ id: 4, name: 'work laptop' }]);
  expect(server.inputs(passkeyApi.remove)).toEqual([{ id: 4 }]);
});

test('an administrator who must set up a factor is shown that, and redirected here', async () => {
  const server = site({ required: true })
    .refuse(userApi.list, '本站要求管理员启用两步验证', 'second_factor_required')
    .answer(groupApi.list, []);
  renderPage('/user', { server, as: people.admin, language: 'zh' });
  await screen.findByText(/在您设置身份验证器或通行密钥之前/);
  expect(window.location.pathname + window.location.hash).toBe('/personal#two-step');
});
