import { filledWords, vertexKeyFaults } from '@tollgate/contract/relay-errors';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { scrub } from '../../../lib/scrub.ts';
import { counter } from '@tollgate/contract';
import { type JsonObject, textOf, parseObject } from '../../../lib/json.ts';
import { type SendTools, type RelayError, refuse } from '../../types/index.ts';
import { badKey, type ServiceAccount } from './key.ts';

/** Claims of a signature (docs/compatibility.md#channel-types). */
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const audience = 'https://www.googleapis.com/oauth2/v4/token';
const signatureSeconds = 35 * 60;
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The longest time that a token is kept. A token that ends earlier is discarded shortly before its end. */
const keptMs = 30 * 60_000;
const marginMs = 60_000;

/**
 * Exchanges an account's signature for a token. Throws RelayError: the key is unusable or refused (401), or Google
 * issued no token at present (its own status). The channel is to blame in each case.
 */
export async function buyToken(
  account: ServiceAccount,
  tools: SendTools,
): Promise<{ value: string; expiresAtMs: number }> {
  const nowMs = tools.nowMs();
  const assertion = await sign(account, Math.floor(nowMs / 1_000));
  const { status, body } = await tools.ask({
    method: 'POST',
    url: account.tokenUri,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: Buffer.from(new URLSearchParams({ grant_type: grantType, assertion }).toString()),
  });
  const answer = parseObject(body);
  const secrets = [assertion, account.privateKeyId, account.email, account.projectId];
  if (status !== 200) throw refusal(status, answer, secrets);
  const value = textOf(answer?.access_token);
  // The token becomes a header unchanged.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw refuse('google_token_missing');
  }
  const seconds = counter(answer?.expires_in);
  const lifeMs = seconds > 0 ? Math.max(0, seconds * 1_000 - marginMs) : keptMs;
  return { value, expiresAtMs: nowMs + Math.min(keptMs, lifeMs) };
}

/** The account's signed claims: a JWT, signed with RS256. */
async function sign(account: ServiceAccount, nowSeconds: number): Promise<string> {
  const { privateKeyId } = account;
  const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== '' && { kid: privateKeyId }) };
  const { SignJWT } = await import('jose');
  try {
    return await new SignJWT({ scope })
      .setProtectedHeader(header)
      .setIssuer(account.email)
      .setAudience(audience)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + signatureSeconds)
      .sign(readPrivateKey(account.privateKey));
  } catch (cause) {
    throw badKey(vertexKeyFaults.unusable_private_key, cause);
  }
}

/** Keys from forms and scripts often have escaped line feeds. */
const readPrivateKey = (pem: string): KeyObject => createPrivateKey(pem.replaceAll('\\n', '\n'));

/** Google gives the reason in two fields; the second is text that may contain the account's name. */
function refusal(status: number, answer: JsonObject | undefined, secrets: readonly string[]): RelayError {
  const reported = [textOf(answer?.error), textOf(answer?.error_description)].filter((words) => words !== '');
  const words = scrub(reported.join(': '), secrets).slice(0, 200);
  const reason = words === '' ? `status ${status}` : words;
  if (status === 400 || status === 401 || status === 403)
    return badKey(filledWords(vertexKeyFaults.refused, { reason }));
  const shown = status === 429 || status >= 500 ? status : 502;
  return refuse('google_token_refused', { reason }, { status: shown });
}
