import { product } from '@tollgate/contract';
import { type Json, type JsonObject, textOf } from '../../lib/json.ts';

/** A channel's `header_override`, parsed once. */
export interface HeaderOverride {
  /** Names of headers of the caller that are passed on: `*`, and `re:` with an expression. */
  passes: readonly RegExp[];
  /** Header by header: its text, which may contain `{api_key}`, or the caller's header whose value it gets. */
  sets: readonly { name: string; text: string; ofCaller?: string }[];
}

/** Headers of one connection or of its body: no channel can set or pass them. */
const ofConnection =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|content-encoding|accept-encoding|expect|sec-.*)$/i;
/** Headers of this program. */
const ofProduct = `x-${product.id}-`;

/**
 * Headers of a caller that no channel gets, even by name: the keys of this site, other credentials of the caller, and
 * addresses.
 */
const ofCaller =
  /^(authorization|x-api-key|api-key|x-goog-api-key|mj-api-secret|cookie|new-api-user|idempotency-key|forwarded|x-forwarded-.*|x-real-ip|via|.*client-ip|.*connecting-ip|cf-.*|x-oneapi-.*|accept|content-.*|traceparent|tracestate)$/i;

/** A header with this name holds a secret: a wildcard does not pass it, and it is masked in an upstream's echo. */
export const holdsSecret = (name: string): boolean =>
  /auth|key|token|secret|session|cookie|password|credential|jwt/i.test(name);

/** True if a header of the caller may be sent to an upstream under its name. */
const mayPass = (name: string): boolean =>
  !ofConnection.test(name) && !ofCaller.test(name) && !name.toLowerCase().startsWith(ofProduct);

/** True if a wildcard passes a header of the caller on. */
export const passesByPattern = (name: string): boolean => mayPass(name) && !holdsSecret(name);

/** The name in `{client_header:<name>}`, which must be the whole text. */
const callerHeaderIn = (text: string): string | undefined =>
  /^\{client_header:\s*([\w-]+)\s*\}$/.exec(text.trim())?.[1]?.toLowerCase();

const isPattern = (name: string): boolean => /^(\*$|re:|regex:)/.test(name);

const maxPattern = 200;

/** The expression of a wildcard; undefined for one that JavaScript cannot parse. */
function patternOf(name: string): RegExp | undefined {
  if (name === '*') return /^/;
  const source = name.replace(/^re(?:gex)?:/, '').replace(/^\(\?i\)/, '');
  if (source === '' || source.length > maxPattern) return undefined;
  try {
    return new RegExp(source, 'i');
  } catch {
    return undefined;
  }
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOf(value) || undefined;

/** The reason why a member of a `header_override` is invalid; undefined for a valid member. */
export function headerFault(name: string, value: Json | undefined): 'name' | 'value' | undefined {
  if (isPattern(name)) return patternOf(name) ? undefined : 'name';
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || ofConnection.test(name)) return 'name';
  if (name.toLowerCase().startsWith(ofProduct)) return 'name';
  const text = textIn(value);
  if (text === undefined || !/^[\x20-\x7e]*$/.test(text)) return 'value';
  const caller = callerHeaderIn(text);
  if (caller !== undefined) return mayPass(caller) ? undefined : 'value';
  // Any other template would be sent unchanged.
  return /\{[a-z_]+(?::[^{}]*)?\}/i.test(text.replaceAll('{api_key}', '')) ? 'value' : undefined;
}

/** A channel's `header_override`; null without one. Invalid members are omitted. */
export function readHeaderOverride(object: JsonObject): HeaderOverride | null {
  const entries = Object.entries(object).filter(([name, value]) => headerFault(name, value) === undefined);
  if (entries.length === 0) return null;
  const [wild, plain] = [true, false].map((is) => entries.filter(([name]) => isPattern(name) === is));
  return {
    passes: wild!.flatMap(([name]) => patternOf(name) ?? []),
    sets: plain!.map(([name, value]) => {
      const text = textIn(value) ?? '';
      const ofCaller = callerHeaderIn(text);
      return { name, text, ...(ofCaller !== undefined && { ofCaller }) };
    }),
  };
}
