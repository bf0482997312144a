import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { makeTestCertificate, type TestCertificate } from '@tollgate/http-engine/testing';
import type { Settings } from '../../services/site/settings/index.ts';

/** A mail as received by the server. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header lines unfolded, by lower-case name; repeated ones are joined by a line break. */
  headers: Record<string, string>;
  /** The decoded HTML. */
  body: string;
  /** The decoded plain text; '' without one. */
  text: string;
  /** Login method of the sender; '' without a login. */
  authMethod: string;
  user: string;
  /** True when the connection was encrypted. */
  secure: boolean;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Connections accepted since the start. */
  readonly connections: number;
  /** Refuses mails with this SMTP status from now on; 0 accepts them again. */
  refuse(status: number): void;
  close(): Promise<void>;
}

export interface MailServerOptions {
  certificate: TestCertificate;
  /** TLS from the first byte, as on port 465. */
  implicitTls?: boolean;
  /** Whether STARTTLS is offered. */
  startTls?: boolean;
  /** The only account that may log in; without it no login is needed. */
  account?: { user: string; password: string };
  /** The address to listen on; by default this machine's loopback. */
  host?: string;
}

function refusal(status: number): Error {
  return Object.assign(new Error('refused by the test'), { responseCode: status });
}

/** `=?UTF-8?B?…?=` and `?Q?` words of a header as text (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replace(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replace(/=\?[^?]+\?([BQ])\?([^?]*)\?=/gi, (_word, kind: string, data: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(data, 'base64').toString('utf8')
        : decodeQuoted(data.replaceAll('_', ' ')),
    );
}

function decodeQuoted(text: string): string {
  const octets = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString('utf8');
}

/** A message, or a part of one: its headers and its decoded content. */
function readPart(raw: string): { headers: Record<string, string>; content: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    const value = decodeWords(line.slice(line.indexOf(':') + 1).trim());
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value;
  }
  const text = raw.slice(end + 4).replace(/\r\n$/, '');
  const encoding = headers['content-transfer-encoding'] ?? '';
  if (encoding === 'base64') return { headers, content: Buffer.from(text, 'base64').toString('utf8') };
  const isQuoted = encoding === 'quoted-printable';
  // The parts of a multipart mail are decoded one by one. They stay raw until then.
  const isNested = (headers['content-type'] ?? '').startsWith('multipart/');
  return { headers, content: isQuoted ? decodeQuoted(text) : isNested ? text : decodeUtf8(text) };
}

const decodeUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

function readMessage(raw: string): Pick<ReceivedMail, 'headers' | 'body' | 'text'> {
  const { headers, content } = readPart(raw);
  const boundary = /^multipart\/alternative;.*boundary="?([^";]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return { headers, body: content, text: '' };
  const parts = `\r\n${content}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.replace(/^\r\n/, '')));
  const contentOf = (type: string): string =>
    parts.find((part) => part.headers['content-type']?.startsWith(type))?.content.replaceAll('\r\n', '\n') ??
    '';
  return { headers, body: contentOf('text/html'), text: contentOf('text/plain') };
}

/** Starts an SMTP server on a free port of this machine. */
export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const { certificate, implicitTls = false, startTls = true, account, host = '127.0.0.1' } = options;
  const mails: ReceivedMail[] = [];
  let status = 0;
  let connections = 0;
  const server = new SMTPServer({
    secure: implicitTls,
    key: certificate.key,
    cert: certificate.cert,
    hideSTARTTLS: !startTls,
    authOptional: account === undefined,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onAuth({ username, password, method }, _session, callback) {
      if (account && (username !== account.user || password !== account.password))
        return callback(refusal(535));
      callback(null, { user: `${method} ${username ?? ''}` });
    },
    onData(stream, { envelope, user, secure }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('error', callback);
      stream.once('end', () => {
        if (status !== 0) return callback(refusal(status));
        const [authMethod = '', name = ''] = typeof user === 'string' ? user.split(' ') : [];
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          authMethod,
          user: name,
          secure,
          ...readMessage(Buffer.concat(chunks).toString('latin1')),
        });
        callback();
      });
    },
  });
  // A client that does not trust the certificate closes the connection; some tests need this.
  server.on('error', () => undefined);
  const listening = server.listen(0, host);
  await new Promise<void>((resolve) => listening.once('listening', resolve));
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    get connections() {
      return connections;
    },
    refuse: (code) => void (status = code),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * A mail server that a site uses from now on. It has no TLS: the site sends no password, and the server is on this
 * machine.
 */
export async function startMailsOf({
  core,
}: {
  core: { settings: Pick<Settings, 'setMany'> };
}): Promise<MailServer> {
  const server = await startMailServer({ certificate: makeTestCertificate(), startTls: false });
  await core.settings.setMany({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(server.port),
    SMTPFrom: 'robot@gate.example',
    SystemName: 'Gate',
    ServerAddress: 'https://gate.example',
  });
  return server;
}
