import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A user who has consented at one of the sites. */
export interface Consent {
  /** The account number at the site. */
  id: number;
  name: string;
  /** The verified primary address; '' for none. */
  email?: string;
}

/** GitHub, Linux DO Connect, Discord and a WeChat server, with their paths and formats, on one port. */
export interface SignInSites {
  readonly url: string;
  /** Consents on the page as the user; returns the parameters of the redirect. */
  consent(page: string, who: Consent): { code: string; state: string };
  /** A code that the official account sent to the owner of a WeChat identity. */
  wechatCode(identity: string): string;
  /** Answers every call with this status from now on; 0 restores normal answers. */
  fail(status: number): void;
  close(): Promise<void>;
}

/** The client's credentials at the sites. */
export const signInClient = { id: 'gate', secret: 'gate-secret' };
export const wechatToken = 'wechat-token';

interface Grant {
  who: Consent;
  redirectUri: string;
  challenge: string;
}

const json = (res: ServerResponse, status: number, body: unknown): void => {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
};

/** A code requested with a challenge needs its verifier, any other needs none (RFC 7636). */
const isProven = (verifier: string | null, challenge = ''): boolean =>
  challenge === ''
    ? verifier === null
    : createHash('sha256')
        .update(verifier ?? '')
        .digest('base64url') === challenge;

/** The client's id and secret, from the form or from Basic. */
function clientOf(form: URLSearchParams, { headers }: IncomingMessage): string {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8');
  return `${form.get('client_id')}:${form.get('client_secret')}`;
}

const profiles: Record<string, (who: Consent) => unknown> = {
  '/user': ({ id, name }) => ({ id, login: `${name}-login`, name, email: 'profile@github.example' }),
  '/user/emails': ({ email = '' }) =>
    email === ''
      ? [{ email: 'unproven@github.example', primary: true, verified: false }]
      : [
          { email: 'second@github.example', primary: false, verified: true },
          { email, primary: true, verified: true },
        ],
  '/api/user': ({ id, name }) => ({ id, username: name, name, trust_level: 1 }),
  '/api/users/@me': ({ id, name, email = '' }) => ({
    id: String(id),
    username: name,
    global_name: null,
    email: email || 'unproven@discord.example',
    verified: email !== '',
  }),
};

/** Issued codes, each valid for one use, and tokens. */
class Given {
  private readonly grants = new Map<string, Grant>();
  private readonly tokens = new Map<string, Consent>();
  private readonly wechatCodes = new Map<string, string>();
  private count = 0;

  consent(page: string, who: Consent): { code: string; state: string } {
    const { searchParams } = new URL(page);
    const code = `code-${++this.count}`;
    this.grants.set(code, {
      who,
      redirectUri: searchParams.get('redirect_uri') ?? '',
      challenge: searchParams.get('code_challenge') ?? '',
    });
    return { code, state: searchParams.get('state') ?? '' };
  }

  wechatCode(identity: string): string {
    const code = `wechat-${++this.count}`;
    this.wechatCodes.set(code, identity);
    return code;
  }

  async answerToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(req));
    const grant = this.grants.get(form.get('code') ?? '');
    this.grants.delete(form.get('code') ?? '');
    const isRight =
      clientOf(form, req) === `${signInClient.id}:${signInClient.secret}` &&
      form.get('redirect_uri') === grant?.redirectUri &&
      isProven(form.get('code_verifier'), grant?.challenge);
    if (!grant || !isRight) return json(res, 400, { error: 'invalid_grant' });
    const token = `token-${++this.count}`;
    this.tokens.set(token, grant.who);
    json(res, 200, { access_token: token, token_type: 'bearer', scope: 'user' });
  }

  answerWechat({ headers }: IncomingMessage, res: ServerResponse, code: string): void {
    if (headers.authorization !== wechatToken) return json(res, 401, { success: false });
    const identity = this.wechatCodes.get(code);
    this.wechatCodes.delete(code);
    json(res, 200, { success: identity !== undefined, message: '', data: identity ?? '' });
  }

  answerProfile({ headers }: IncomingMessage, res: ServerResponse, pathname: string): void {
    const who = this.tokens.get(/^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '');
    const profile = profiles[pathname];
    if (!who || !profile) return json(res, 401, { message: 'Bad credentials' });
    json(res, 200, profile(who));
  }
}

/** Starts the sites on a free port of this machine. */
export async function startSignInSites(): Promise<SignInSites> {
  const given = new Given();
  let failing = 0;
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://here');
    if (failing !== 0) return json(res, failing, { error: 'down' });
    if (req.method === 'POST') return given.answerToken(req, res);
    if (pathname === '/api/wechat/user') return given.answerWechat(req, res, searchParams.get('code') ?? '');
    given.answerProfile(req, res, pathname);
  };
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    consent: (page, who) => given.consent(page, who),
    wechatCode: (identity) => given.wechatCode(identity),
    fail: (status) => void (failing = status),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
