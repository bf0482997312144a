import { admit, admitRate, type GatewayDeps, usingGroups } from '../../gateway/index.ts';
import { type Clock, seconds } from '../../lib/clock.ts';
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../lib/json.ts';
import { camelCased, camelName } from '../../relay/protocols/gemini/index.ts';
import { transcriberOf } from '../../relay/realtime/transcription.ts';
import { modelIn } from '../../relay/realtime/live.ts';
import { refuse } from '../../relay/types/index.ts';
import {
  markOfKey,
  maxSessionSecrets,
  readCredential,
  type SessionSecrets,
} from '../../services/people/tokens/index.ts';
import { type AuthorizedRequest, readBodyOf, readJson } from './read-call.ts';

/** Dependencies of making secrets for realtime sessions. */
export interface SessionSecretDeps {
  sessionSecrets: Pick<SessionSecrets, 'make'>;
  gateway: Pick<GatewayDeps, 'pricing' | 'rate'>;
  clock: Clock;
}

/** Bytes of a session's configuration. */
const maxBytes = 256 * 1024;
/** Seconds that OpenAI allows, and those without a wish: of the present call, and of the older one. */
const [minTtl, maxTtl] = [10, 7_200];
const usualTtl = { current: 600, older: 60 };

/**
 * Makes a secret with which a browser opens realtime sessions of the caller's key, with a configuration. It is our own:
 * the sessions have the limits of the key, and end with it. Throws `session_secret_invalid`.
 */
export async function makeSessionSecret(
  { sessionSecrets, gateway }: SessionSecretDeps,
  authorized: AuthorizedRequest,
): Promise<object> {
  const { caller, path, query, req, requestId, matched } = authorized;
  const { json } = readJson(await readBodyOf(authorized, maxBytes));
  const isOlder = matched.route.path.endsWith('/sessions');
  const { client_secret: wish, ...flat } = json;
  const session = isOlder ? flat : objectOf(json['session']);
  const ttl = readTtl(isOlder ? objectOf(wish) : json, isOlder ? usualTtl.older : usualTtl.current);
  const { type = 'realtime' } = session;
  if (type !== 'realtime' && (isOlder || type !== 'transcription')) throw refuse('api_not_implemented');
  const transcribes = type === 'transcription';
  const model = transcribes ? transcriberOf(session) : textOf(session['model']);
  if (transcribes && model === '') throw refuse('model_required');
  const [group = ''] =
    model === ''
      ? usingGroups(gateway, caller, '')
      : admit(gateway, { caller, askedGroup: '', facts: { model } });
  await admitRate(gateway.rate, caller, group);
  const key = markOfKey(readCredential(path, query, req.headers));
  const made = await sessionSecrets.make(caller.userId, { key, session }, ttl);
  if (!made) throw refuse('too_many_session_secrets', { most: maxSessionSecrets });
  const { secret: value, end } = made;
  const object = transcribes ? 'realtime.transcription_session' : 'realtime.session';
  const shown = { object, id: `sess_${requestId}`, ...session };
  return isOlder
    ? { ...shown, client_secret: { value, expires_at: end } }
    : { value, expires_at: end, session: { type: 'realtime', ...shown } };
}

/** Seconds of a token for Gemini Live without a wish: for new sessions, and in all; and the most of both. */
const liveTtl = { begin: 60, all: 1_800, max: 20 * 3_600 };
const maxUses = 1_000_000;

/**
 * Makes a token with which a browser opens sessions of Gemini Live, as our own. Members of the setup that it fixes replace
 * those of the browser. Throws `live_token_invalid`.
 */
export async function makeLiveToken(
  { sessionSecrets, gateway, clock }: SessionSecretDeps,
  authorized: AuthorizedRequest,
): Promise<object> {
  const { caller, path, query, req } = authorized;
  const json = camelCased(readJson(await readBodyOf(authorized, maxBytes)).json);
  const { uses = 1, fieldMask, expireTime, newSessionExpireTime } = json;
  const setup = json['bidiGenerateContentSetup'];
  if (typeof uses !== 'number' || !Number.isInteger(uses) || uses < 0 || uses > maxUses)
    throw refuse('live_token_invalid', { field: 'uses' });
  const now = seconds(clock);
  const timeIn = (name: string, value: Json | undefined, usual: number): number => {
    if (value === undefined || value === null) return now + usual;
    const at = Math.floor(Date.parse(textOf(value)) / 1_000);
    if (!(at > now && at <= now + liveTtl.max)) throw refuse('live_token_invalid', { field: name });
    return at;
  };
  const end = timeIn('expireTime', expireTime, liveTtl.all);
  const beginsBefore = timeIn('newSessionExpireTime', newSessionExpireTime, liveTtl.begin);
  const model = modelIn(objectOf(setup)['model']);
  const [group = ''] =
    model === ''
      ? usingGroups(gateway, caller, '')
      : admit(gateway, { caller, askedGroup: '', facts: { model } });
  await admitRate(gateway.rate, caller, group);
  const mask = textOf(fieldMask)
    .split(',')
    .map((field) => camelName(field.trim()))
    .filter((field) => field !== '');
  const fields = mask.length > 0 ? mask : isObject(setup) ? null : [];
  const key = markOfKey(readCredential(path, query, req.headers));
  const grant = { key, session: objectOf(setup), live: { beginsBefore, end, fields } };
  const made = await sessionSecrets.make(caller.userId, grant, end - now, uses);
  if (!made) throw refuse('too_many_session_secrets', { most: maxSessionSecrets });
  const timeOf = (at: number): string => new Date(at * 1_000).toISOString();
  return {
    name: made.secret,
    expireTime: timeOf(end),
    newSessionExpireTime: timeOf(beginsBefore),
    uses,
  };
}

function readTtl(json: JsonObject, usual: number): number {
  const { expires_after: after } = json;
  if (after === undefined || after === null) return usual;
  const ttl = isObject(after) ? (after['seconds'] ?? usual) : undefined;
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < minTtl || ttl > maxTtl)
    throw refuse('session_secret_invalid', { min: minTtl, max: maxTtl });
  return ttl;
}
