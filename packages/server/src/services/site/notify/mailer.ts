import { connect, type Socket } from 'node:net';
import { AppError } from '@tollgate/contract';
import type { AddressScope } from '../../../lib/outbound/address.ts';
import { createGuard, type OutboundGuard } from '../../../lib/outbound/outbound-guard.ts';
import type { Settings } from '../settings/index.ts';

/** A mail to one or more receivers. */
export interface Mail {
  /** Addresses, several separated by `;`. */
  to: string;
  subject: string;
  html: string;
  /** The same for programs that show no HTML. */
  text: string;
  /** Attached files. */
  files?: readonly { name: string; type: string; content: string | Buffer }[];
}

/** Sends mails by the SMTP options (docs/compatibility.md#mail). */
export interface Mailer {
  /** True if a server and a sender are set. */
  configured(): boolean;
  /**
   * Resolves when the server has accepted the mail. Throws AppError: smtp_not_configured, email_malformed, or
   * mail_failed with the server's response as its cause.
   */
  send(mail: Mail): Promise<void>;
}

export interface MailerDeps {
  settings: Pick<Settings, 'get'>;
  guard?: OutboundGuard;
}

/** The operator chose the mail server, so it may be in a private network. */
const scope: AddressScope = 'operator';
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  dnsTimeout: 10_000,
};
const maxReceivers = 50;

interface SmtpConfig {
  host: string;
  port: number;
  secure: boolean;
  account: string;
  token: string;
  from: { name: string; address: string };
}

/** Line breaks in a header would start another header (ASVS 1.3.11). */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ').trim();

function smtpConfig(settings: Pick<Settings, 'get'>): SmtpConfig | null {
  const host = settings.get('SMTPServer').trim();
  const account = settings.get('SMTPAccount').trim();
  const address = oneLine(settings.get('SMTPFrom')) || oneLine(account);
  if (host === '' || address === '') return null;
  const port = settings.get('SMTPPort');
  return {
    host,
    port,
    secure: port === 465 || settings.get('SMTPSSLEnabled'),
    account,
    token: settings.get('SMTPToken'),
    from: { name: oneLine(settings.get('SystemName')), address },
  };
}

/** Servers that support only LOGIN (docs/compatibility.md#mail); all others get PLAIN. */
function authMethod({ host, account }: SmtpConfig): 'LOGIN' | 'PLAIN' {
  const wantsLogin =
    /outlook|onmicrosoft/i.test(account) ||
    ['smtp.sendcloud.net', 'smtp.azurecomm.net'].includes(host.toLowerCase());
  return wantsLogin ? 'LOGIN' : 'PLAIN';
}

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host);

type SocketCallback = (error: Error | null, connection?: Socket) => void;

/** Opens the connection through the address check that every outbound connection passes. */
function openSocket({ host, port }: SmtpConfig, guard: OutboundGuard, callback: SocketCallback): void {
  const place = { host: host.replace(/^\[|\]$/g, ''), port };
  const socket = connect({ ...guard.connection(place, scope), timeout: timeouts.connectionTimeout });
  const fail = (error: Error): void => {
    socket.destroy();
    callback(error);
  };
  socket.once('error', fail);
  socket.once('timeout', () => fail(new Error('the mail server does not answer')));
  socket.once('connect', () => {
    socket.removeListener('error', fail);
    socket.removeAllListeners('timeout');
    socket.setTimeout(0);
    callback(null, socket);
  });
}

/** The library is loaded with the first mail: many sites send none, and it takes 5 MB. */
async function transportFor(config: SmtpConfig, guard: OutboundGuard) {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, account, token } = config;
  const hasLogin = account !== '' && token !== '';
  return createTransport({
    host,
    port,
    secure,
    ...timeouts,
    // The password is never sent in the clear, except within this machine.
    requireTLS: hasLogin && !isLoopback(host),
    tls: { minVersion: 'TLSv1.2' },
    ...(hasLogin && { auth: { user: account, pass: token, method: authMethod(config) } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_options, callback) {
      try {
        openSocket(config, guard, (error, connection) =>
          callback(error, connection ? { connection } : false),
        );
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}

/** Addresses as objects, so that no part of them is parsed as a list, a name or a comment. */
function parseReceivers(to: string): { name: string; address: string }[] {
  const addresses = to
    .split(';')
    .map((address) => oneLine(address))
    .filter((address) => address !== '');
  if (addresses.length === 0 || addresses.length > maxReceivers) throw new AppError('email_malformed');
  return addresses.map((address) => ({ name: '', address }));
}

/** A mailer that reads the options for every mail. Certificates are always verified. */
export const createMailer = ({ settings, guard = createGuard() }: MailerDeps): Mailer => ({
  configured: () => smtpConfig(settings) !== null,
  async send({ to, subject, html, text, files = [] }) {
    const config = smtpConfig(settings);
    if (!config) throw new AppError('smtp_not_configured');
    const receivers = parseReceivers(to);
    const transport = await transportFor(config, guard);
    try {
      const attachments = files.map(({ name, type, content }) => ({
        filename: oneLine(name),
        contentType: type,
        content,
      }));
      const mail = { from: config.from, to: receivers, subject: oneLine(subject), html, text };
      await transport.sendMail(files.length === 0 ? mail : { ...mail, attachments });
    } catch (cause) {
      throw new AppError('mail_failed', {}, cause);
    } finally {
      transport.close();
    }
  },
});

/** True if a retry cannot succeed: the mail is malformed, or the server has refused it permanently. */
export function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (error.code !== 'mail_failed') return true;
  const { cause } = error;
  return (
    cause instanceof Error &&
    'responseCode' in cause &&
    typeof cause.responseCode === 'number' &&
    cause.responseCode >= 500
  );
}

/** True if the server refuses this mail or its receiver for now, as with a full mailbox: it may take other mails. */
export function isRefusedForNow(error: unknown): boolean {
  if (!(error instanceof AppError) || isPermanentFailure(error)) return false;
  const { cause } = error;
  return (
    cause instanceof Error && 'code' in cause && (cause.code === 'EENVELOPE' || cause.code === 'EMESSAGE')
  );
}
