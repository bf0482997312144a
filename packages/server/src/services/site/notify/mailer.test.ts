import { networkInterfaces } from 'node:os';
import { AppError, declarationOf, type SettingKey, type SettingValue } from '@tollgate/contract';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAllowed } from '../../../lib/outbound/address.ts';
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from '../../../testing/upstream/mail-server.ts';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';
import { createMailer, isPermanentFailure } from './mailer.ts';

const certificate = makeTestCertificate();
let untrust: () => void = () => undefined;
let server: MailServer;
let values: Partial<Record<SettingKey, unknown>>;
const settings = {
  get: <Key extends SettingKey>(key: Key) => (values[key] ?? declarationOf(key).default) as SettingValue<Key>,
};
const mailer = createMailer({ settings });

async function start(options: Omit<MailServerOptions, 'certificate'> = {}): Promise<void> {
  server = await startMailServer({ certificate, ...options });
  values = {
    SMTPServer: 'localhost',
    SMTPPort: server.port,
    SMTPAccount: 'robot@gate.example',
    SMTPToken: 'smtp-secret',
    SystemName: 'Tollgate 网关',
  };
}
const account = { user: 'robot@gate.example', password: 'smtp-secret' };
const hello = {
  to: 'ann@example.com',
  subject: '您的额度即将用尽',
  html: '<p>余额 &lt; 1</p>',
  text: '余额 < 1',
};
const catchError = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeAll(() => {
  untrust = trustCertificate(certificate.cert);
  return () => untrust();
});
afterEach(() => server?.close());

describe('mail', () => {
  it('arrives with its Chinese subject, sender and text, over TLS, logged in', async () => {
    await start({ account });
    await mailer.send(hello);
    expect(server.mails).toMatchObject([
      {
        from: 'robot@gate.example',
        to: ['ann@example.com'],
        secure: true,
        authMethod: 'PLAIN',
        user: 'robot@gate.example',
        body: '<p>余额 &lt; 1</p>',
        text: '余额 < 1',
        headers: {
          subject: '您的额度即将用尽',
          from: 'Tollgate 网关 <robot@gate.example>',
          to: 'ann@example.com',
        },
      },
    ]);
    expect(server.mails[0]?.headers['content-type']).toContain('multipart/alternative');
  });

  it('uses TLS from the first byte when the options say so', async () => {
    await start({ account, implicitTls: true });
    values.SMTPSSLEnabled = true;
    await mailer.send(hello);
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.secure).toBe(true);
  });

  it.each([false, true])(
    'is not sent to a server with an untrusted certificate (implicit TLS: %s)',
    async (implicitTls) => {
      await start({ account, implicitTls });
      values.SMTPSSLEnabled = implicitTls;
      untrust();
      const error = await catchError(mailer.send(hello));
      untrust = trustCertificate(certificate.cert);
      expect(error).toMatchObject({ code: 'mail_failed' });
      expect(String((error as Error).cause)).toMatch(/self-signed|self signed|certificate/i);
      expect(server.mails).toHaveLength(0);
    },
  );

  it('authenticates by LOGIN where only that is offered, by PLAIN elsewhere', async () => {
    const outlook = { user: 'robot@outlook.com', password: 'smtp-secret' };
    await start({ account: outlook });
    values.SMTPAccount = outlook.user;
    await mailer.send(hello);
    expect(server.mails[0]).toMatchObject({ authMethod: 'LOGIN', user: 'robot@outlook.com' });
  });

  it('has the configured sender, or the account', async () => {
    await start({ account });
    values.SMTPFrom = 'billing@gate.example';
    await mailer.send(hello);
    expect(server.mails[0]?.from).toBe('billing@gate.example');
  });

  it('goes to every receiver, separated by semicolons', async () => {
    await start({ account });
    await mailer.send({ ...hello, to: 'ann@example.com; bob@example.com;;' });
    expect(server.mails[0]?.to).toEqual(['ann@example.com', 'bob@example.com']);
  });

  it('keeps line breaks out of headers, wherever they come from', async () => {
    await start({ account });
    values.SystemName = 'Evil\r\nBcc: victim@example.com';
    await mailer.send({ ...hello, subject: 'Hi\r\nBcc: victim@example.com\n\nBody' });
    const { headers, to } = server.mails[0]!;
    expect(headers).not.toHaveProperty('bcc');
    expect(headers.subject).toBe('Hi Bcc: victim@example.com Body');
    expect(to).toEqual(['ann@example.com']);
  });

  it('cannot be sent to other receivers by the content of an address', async () => {
    await start({ account });
    await catchError(mailer.send({ ...hello, to: 'ann@example.com, victim@example.com' }));
    await catchError(mailer.send({ ...hello, to: 'x <victim@example.com>' }));
    await catchError(mailer.send({ ...hello, to: 'ann@example.com\r\nRCPT TO:<victim@example.com>' }));
    expect(server.mails.flatMap(({ to }) => to)).not.toContain('victim@example.com');
  });

  it('fails with that reason when no server is configured', async () => {
    await start();
    values.SMTPServer = '';
    expect(mailer.configured()).toBe(false);
    const error = await catchError(mailer.send(hello));
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).say('zh')).toBe('SMTP 服务器未配置');
    expect(isPermanentFailure(error)).toBe(true);
  });

  it('that is refused permanently is not repeated, one that is deferred is', async () => {
    await start({ account });
    server.refuse(550);
    expect(isPermanentFailure(await catchError(mailer.send(hello)))).toBe(true);
    server.refuse(451);
    expect(isPermanentFailure(await catchError(mailer.send(hello)))).toBe(false);
    values.SMTPToken = 'wrong';
    expect(isPermanentFailure(await catchError(mailer.send(hello)))).toBe(true);
    await server.close();
    expect(isPermanentFailure(await catchError(mailer.send(hello)))).toBe(false);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(
      ({ internal, family, address }) => !internal && family === 'IPv4' && isAllowed(address, 'operator'),
    );
  it.skipIf(!outside)('never sends the password unencrypted beyond this machine', async () => {
    await start({ account, startTls: false, host: outside?.address ?? '' });
    values.SMTPServer = outside?.address ?? '';
    expect(await catchError(mailer.send(hello))).toMatchObject({ code: 'mail_failed' });
    expect(server.connections).toBe(1);
    expect(server.mails).toHaveLength(0);
  });

  it('never connects to the metadata address of a cloud', async () => {
    await start({ account });
    values.SMTPServer = '169.254.169.254';
    const error = await catchError(mailer.send(hello));
    expect(String((error as Error).cause)).toContain('is not allowed');
  });
});
