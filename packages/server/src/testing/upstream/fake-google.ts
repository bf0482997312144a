import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { type Behaviour, json } from './fake-upstream-scripts.ts';

const tokenSeconds = 3_599;

interface KeyPair {
  publicKey: KeyObject;
  privateKey: string;
}

function makeKeys(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { publicKey, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/**
 * Google's simulated side: a service account whose signatures are exchanged for tokens at `/token`, and calls that need
 * one of these tokens. It wraps the script of the later calls: `upstream.script(google.before(playModel(…)))`.
 */
export class FakeGoogle {
  /** The claims of each accepted signature, in order. */
  readonly exchanges: JWTPayload[] = [];
  /** Number of calls with a token or an API key of ours. */
  accepted = 0;
  /** If set, every exchange has this answer: a status and Google's two fields. */
  refusal: { status: number; error: string; error_description: string } | undefined;
  readonly apiKey = 'AIzaSyFakeKeyOfExpressMode0123456789abc';
  readonly email = 'gateway@fake-project.iam.gserviceaccount.com';
  private readonly keys = makeKeys();

  /** The JSON file of the account, as a console offers it. `fields` override its own. */
  keyFile(tokenUri: string, fields: Record<string, unknown> = {}): string {
    const file = {
      type: 'service_account',
      project_id: 'fake-project',
      private_key_id: 'f00dfeed',
      private_key: this.keys.privateKey,
      client_email: this.email,
      token_uri: tokenUri,
      ...fields,
    };
    return JSON.stringify(file, null, 2);
  }

  /** A file of the same account with a key that Google does not know. */
  strangeKeyFile = (tokenUri: string): string =>
    this.keyFile(tokenUri, { private_key: makeKeys().privateKey });

  /** The token of the n-th exchange, from 1. */
  token = (exchange: number): string => `ya29.fake-token-${exchange}`;

  /** Answers `/token` and refuses calls without a token; passes all others on to `answer`. */
  before =
    (answer: Behaviour): Behaviour =>
    async (exchange) => {
      if (exchange.path === '/token') return this.exchange(exchange.body)(exchange);
      const bearer = String(exchange.headers.authorization ?? '').replace('Bearer ', '');
      const isOurs =
        exchange.headers['x-goog-api-key'] === this.apiKey ||
        this.exchanges.some((_, index) => bearer === this.token(index + 1));
      const error = { code: 401, message: 'Request is missing credentials.', status: 'UNAUTHENTICATED' };
      if (!isOurs) return json({ error }, 401)(exchange);
      this.accepted += 1;
      return answer(exchange);
    };

  private exchange(body: Buffer): Behaviour {
    return async (exchange) => {
      const form = new URLSearchParams(body.toString());
      const assertion = form.get('assertion') ?? '';
      const refusal = this.refusal ?? (await this.check(form.get('grant_type'), assertion));
      if (refusal) {
        const { status, ...words } = refusal;
        return json(words, status)(exchange);
      }
      const access_token = this.token(this.exchanges.push(decodeJwt(assertion)));
      return json({ access_token, expires_in: tokenSeconds, token_type: 'Bearer' })(exchange);
    };
  }

  private async check(grantType: string | null, assertion: string): Promise<FakeGoogle['refusal']> {
    const refused = (error_description: string) => ({
      status: 400,
      error: 'invalid_grant',
      error_description,
    });
    if (grantType !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return refused('Bad grant type.');
    try {
      // Tests set the clock of the gateway and check the times in the signature themselves.
      const { iat = 0 } = decodeJwt(assertion);
      await jwtVerify(assertion, this.keys.publicKey, {
        algorithms: ['RS256'],
        issuer: this.email,
        currentDate: new Date(iat * 1_000),
      });
      return undefined;
    } catch {
      return refused('Invalid JWT Signature.');
    }
  }
}
